// Demos in Docusaurus: the package's files are in static/, so that they keep their names, and its script is named once.
// The pages are rendered on a server first: what stands in a tag is in them.
export default {
  title: 'Demos in Docusaurus',
  url: 'http://127.0.0.1',
  baseUrl: '/docs/ffviz/',
  onBrokenLinks: 'throw',
  scripts: [{ src: '/docs/ffviz/ffviz-demo/define.js', type: 'module' }],
  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false, pages: false }]],
};
