// CodeMirror with PostgreSQL's dialect, as the editor element uses it: bundled, and loaded when somebody begins to write.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const setProblem = StateEffect.define();

/** The line that a problem is on. */
const problemLine = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setProblem)) {
        const line = effect.value && transaction.state.doc.line(Math.min(effect.value, transaction.state.doc.lines));
        lines = line ? Decoration.set([Decoration.line({ class: 'cm-problem' }).range(line.from)]) : Decoration.none;
      }
    }
    return transaction.docChanged ? Decoration.none : lines;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// the page's own colours, which follow light and dark
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--sql-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--sql-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--sql-number)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--dim)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--sql-type)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '.875rem', color: 'var(--text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--dim)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--select-soft)' },
  '.cm-cursor': { borderLeftColor: 'var(--strong)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--select-soft) !important' },
  '.cm-problem': { backgroundColor: 'var(--accent-soft)', boxShadow: 'inset 3px 0 var(--accent)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
});

/** Puts an editor into an element of a shadow root; `changed(text)` hears of changes. Gives `text`, `problem(line)` and `focus()`. */
export function edit({ parent, root, text, at, label, changed }) {
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: text,
      selection: { anchor: Math.min(at, text.length) },
      extensions: [
        lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), autocompletion(),
        highlightActiveLine(), problemLine, sql({ dialect: PostgreSQL, upperCaseKeywords: false }),
        syntaxHighlighting(colours), look, EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(update.state.doc.toString()); }),
        keymap.of([
          // runs the script: the element hears it
          { key: 'Mod-Enter', run: () => true },
          ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap,
          // Escape, then Tab leaves the editor: who has no mouse is not caught in it
          indentWithTab,
        ]),
      ],
    }),
  });
  return {
    set text(to) {
      if (view.state.doc.toString() !== to) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: to } });
    },
    problem(line) { view.dispatch({ effects: setProblem.of(line) }); },
    focus() { view.focus(); },
  };
}
