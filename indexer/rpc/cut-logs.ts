const LOGS_BEGIN = Buffer.from('"logMessages":[');
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LIST_ENDS = 0x5d;
const OBJECT_BEGINS = 0x7b;

/**
 * Takes the logs out of a transaction in JSON: they are much of it, and nobody reads them, for anyone can write them and
 * nodes cut them off. Where they are not written as nodes write them, a list of texts with another member behind it and no
 * spaces, nothing changes.
 *
 * @param json what is left of it is moved together in place
 * @returns the part of it that is left
 */
export function cutLogs(json: Buffer): Buffer {
  const begin = json.indexOf(LOGS_BEGIN);
  // Within a text of JSON a backslash stands before each quote: behind these two it begins a member's name.
  if (begin < 1) return json;
  const before = json[begin - 1];
  if (before !== OBJECT_BEGINS && before !== COMMA) return json;
  const end = endOfTexts(json, begin + LOGS_BEGIN.length);
  if (end === -1 || json[end + 1] !== COMMA) return json;
  const next = end + 2;
  json.copyWithin(begin, next);
  return json.subarray(0, json.length - (next - begin));
}

/** Where the list ends whose first text begins at a place; -1 where it is no list of texts, or does not end. */
function endOfTexts(json: Buffer, from: number): number {
  if (json[from] === LIST_ENDS) return from;
  let begin = from;
  while (json[begin] === QUOTE) {
    const end = endOfText(json, begin);
    if (end === -1) return -1;
    if (json[end + 1] === LIST_ENDS) return end + 1;
    if (json[end + 1] !== COMMA) return -1;
    begin = end + 2;
  }
  return -1;
}

/** Where the quote is that ends a text; -1 where none does. @param begin where the quote is that begins it */
function endOfText(json: Buffer, begin: number): number {
  let end = begin;
  do {
    end = json.indexOf(QUOTE, end + 1);
  } while (end !== -1 && isEscaped(json, end));
  return end;
}

/** Whether an odd number of backslashes stands before a quote. */
function isEscaped(json: Buffer, quote: number): boolean {
  let first = quote;
  while (json[first - 1] === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}
