import type { Run } from './text-blocks.ts';

/** Consecutive characters of a line that have the same format. */
interface Segment extends Run {
  readonly width: number;
}

export type Line = readonly Segment[];

type Format = Omit<Run, 'text'>;

const isSameFormat = (a: Format, b: Format) => a.isStrong === b.isStrong && a.link === b.link;

/** Splits text into words. A word has several runs if the format changes within it. No-break spaces do not split words. */
function wordsOf(runs: readonly Run[]): readonly (readonly Run[])[] {
  const words: Run[][] = [];
  let currentWord: Run[] | null = null;
  for (const { text, ...format } of runs) {
    for (const piece of text.split(/( +)/)) {
      if (piece === '') continue;
      if (piece.startsWith(' ')) {
        currentWord = null;
        continue;
      }
      if (!currentWord) {
        currentWord = [];
        words.push(currentWord);
      }
      currentWord.push({ text: piece, ...format });
    }
  }
  return words;
}

/**
 * Joins adjacent runs that have the same format, within one line. Every line except the last ends with a space, which keeps
 * words apart in copied text.
 */
function mergeSegments(words: readonly (readonly Run[])[], isLast: boolean): Run[] {
  const segments: Run[] = [];
  words.forEach((word, index) => {
    word.forEach((piece, pieceIndex) => {
      const previous = segments.at(-1);
      const startsWord = index > 0 && pieceIndex === 0;
      if (previous && isSameFormat(previous, piece)) {
        segments[segments.length - 1] = {
          ...previous,
          text: `${previous.text}${startsWord ? ' ' : ''}${piece.text}`,
        };
        return;
      }
      if (previous && startsWord) {
        // Keeps the space outside links.
        if (piece.link === undefined) {
          segments.push({ ...piece, text: ` ${piece.text}` });
          return;
        }
        segments[segments.length - 1] = { ...previous, text: `${previous.text} ` };
      }
      segments.push(piece);
    });
  });
  const lastSegment = segments.at(-1);
  if (lastSegment && !isLast)
    segments[segments.length - 1] = { ...lastSegment, text: `${lastSegment.text} ` };
  return segments;
}

/**
 * Breaks text into lines no wider than `width`. A wider word gets its own line.
 * @param measure returns the width of a run, in the same unit as `width`
 */
export function breakIntoLines(
  runs: readonly Run[],
  width: number,
  measure: (run: Run) => number,
): readonly Line[] {
  const lines: (readonly Run[])[][] = [];
  let remainingWidth = 0;
  for (const word of wordsOf(runs)) {
    const wordWidth = word.reduce((sum, piece) => sum + measure(piece), 0);
    const [first] = word;
    const spaceWidth = first ? measure({ ...first, text: ' ' }) : 0;
    const line = lines.at(-1);
    if (line && spaceWidth + wordWidth <= remainingWidth) {
      line.push(word);
      remainingWidth -= spaceWidth + wordWidth;
    } else {
      lines.push([word]);
      remainingWidth = width - wordWidth;
    }
  }
  return lines.map((words, index) =>
    mergeSegments(words, index === lines.length - 1).map((run) => ({ ...run, width: measure(run) })),
  );
}
