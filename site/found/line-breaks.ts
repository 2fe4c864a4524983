/**
 * Breaks text into lines no wider than `width`, as `measure` measures. What does not fit in `most` lines is left out
 * and said so by an ellipsis. A single word that is too wide stands alone.
 */
export function breakLines(
  text: string,
  width: number,
  most: number,
  measure: (line: string) => number,
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || measure(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  if (lines.length <= most) return lines;
  let last = lines[most - 1] ?? '';
  while (measure(`${last} …`) > width && last.includes(' ')) last = last.slice(0, last.lastIndexOf(' '));
  return [...lines.slice(0, most - 1), `${last} …`];
}
