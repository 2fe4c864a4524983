import type { Run } from './words.ts';

/** Text of one manner within a line. */
export interface Part extends Run {
  readonly width: number;
}

export type Line = readonly Part[];

type Manner = Omit<Run, 'text'>;

const isSame = (a: Manner, b: Manner) => a.isStrong === b.isStrong && a.link === b.link;

/** Words, each of one or more parts: a word may change its manner within. No-break spaces hold a word together. */
function wordsOf(runs: readonly Run[]): readonly (readonly Run[])[] {
  const words: Run[][] = [];
  let open: Run[] | null = null;
  for (const { text, ...manner } of runs) {
    for (const piece of text.split(/( +)/)) {
      if (piece === '') continue;
      if (piece.startsWith(' ')) {
        open = null;
        continue;
      }
      if (!open) {
        open = [];
        words.push(open);
      }
      open.push({ text: piece, ...manner });
    }
  }
  return words;
}

/** Parts of a line, joined where they are of one manner. Each line but the last ends in a space, for who copies it. */
function joined(words: readonly (readonly Run[])[], isLast: boolean): Run[] {
  const parts: Run[] = [];
  words.forEach((word, index) => {
    word.forEach((piece, place) => {
      const previous = parts.at(-1);
      const isApart = index > 0 && place === 0;
      if (previous && isSame(previous, piece)) {
        parts[parts.length - 1] = { ...previous, text: `${previous.text}${isApart ? ' ' : ''}${piece.text}` };
        return;
      }
      if (previous && isApart) {
        // The space belongs to what is no link, so that no link ends in one.
        if (piece.link === undefined) {
          parts.push({ ...piece, text: ` ${piece.text}` });
          return;
        }
        parts[parts.length - 1] = { ...previous, text: `${previous.text} ` };
      }
      parts.push(piece);
    });
  });
  const end = parts.at(-1);
  if (end && !isLast) parts[parts.length - 1] = { ...end, text: `${end.text} ` };
  return parts;
}

/**
 * Breaks text into lines no wider than `width`; a single word that is wider stands in a line of its own.
 * @param measure the width of text in a manner, in the unit of `width`.
 */
export function breakIntoLines(
  runs: readonly Run[],
  width: number,
  measure: (run: Run) => number,
): readonly Line[] {
  const lines: (readonly Run[])[][] = [];
  let room = 0;
  for (const word of wordsOf(runs)) {
    const wide = word.reduce((sum, piece) => sum + measure(piece), 0);
    const [first] = word;
    const space = first ? measure({ ...first, text: ' ' }) : 0;
    const line = lines.at(-1);
    if (line && space + wide <= room) {
      line.push(word);
      room -= space + wide;
    } else {
      lines.push([word]);
      room = width - wide;
    }
  }
  return lines.map((words, index) =>
    joined(words, index === lines.length - 1).map((run) => ({ ...run, width: measure(run) })),
  );
}
