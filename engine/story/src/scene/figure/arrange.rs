//! How panels stand: which of them side by side, and how wide each is. Both faces ask here, the one in columns, the
//! other in units of its drawing.

use super::FigureScene;
use alloc::vec::Vec;

/// How wide panels may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// the narrowest
    pub least: i32,
    /// what each would need, for as many to stand side by side
    pub beside: i32,
    /// the widest
    pub most: i32,
    /// between two of a row
    pub gap: i32,
}

impl Widths {
    /// The panels of each row: as many as fit, and children never beside their parents.
    #[must_use]
    pub fn rows(self, scene: &FigureScene, room: i32) -> Vec<Vec<usize>> {
        let most = usize::try_from((room + self.gap) / (self.beside + self.gap)).unwrap_or(1).max(1);
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for (n, panel) in scene.panels.iter().enumerate() {
            match rows.last_mut() {
                Some(row) if row.len() < most && scene.panels[row[0]].row == panel.row => row.push(n),
                _ => rows.push(Vec::from([n])),
            }
        }
        rows
    }

    /// How wide the panels of a row are that would like to be so wide: of what is left over each gets an equal share;
    /// where there is too little, who needs little gets it, and the others share what they lack.
    #[must_use]
    pub fn share(self, wanted: &[i32], room: i32) -> Vec<i32> {
        let needs = wanted.iter().map(|need| (*need).clamp(self.least, self.most));
        let (n, sum) = (wanted.len().max(1) as i32, needs.clone().sum::<i32>());
        if sum <= room {
            let more = (room - sum) / n;
            return needs.map(|need| (need + more).min(self.most)).collect();
        }
        let least = self.least.min(room / n);
        let excess: i32 = needs.clone().map(|need| need - least).sum();
        let spare = room - least * n;
        needs.map(|need| least + (need - least) * spare / excess.max(1)).collect()
    }
}

/// What was changed, or its first fact alone where there is no room for both.
#[must_use]
pub fn fitting(tag: &str, fits: impl Fn(&str) -> bool) -> &str {
    if fits(tag) { tag } else { tag.split(" · ").next().unwrap_or(tag) }
}

#[cfg(test)]
mod tests {
    use super::Widths;

    #[test]
    fn who_needs_little_gets_it() {
        let widths = Widths { least: 20, beside: 20, most: 60, gap: 5 };
        assert_eq!(widths.share(&[30, 30], 80), [40, 40]);
        assert_eq!(widths.share(&[20, 50], 60), [20, 40]);
        assert_eq!(widths.share(&[90, 90], 100), [50, 50]);
        assert_eq!(widths.share(&[30, 30], 10), [5, 5]);
    }
}
