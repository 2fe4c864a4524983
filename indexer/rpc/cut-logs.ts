const LOGS_BEGIN = Buffer.from('"logMessages":[');
const LOGS_END = Buffer.from('],"');

/**
 * Takes the logs out of a transaction in JSON: they are much of it, and nobody reads them, for anyone can write them and
 * nodes cut them off. Where they are not written as nodes write them nothing changes.
 *
 * Within a text of JSON quotes are escaped: so the quote that the search begins with stands for itself, and one behind
 * `],` ends a text or begins one. Behind the end of one of the logs stands no letter; the next member begins with one.
 *
 * @param json what is left of it is moved together in place
 * @returns the part of it that is left
 */
export function cutLogs(json: Buffer): Buffer {
  const begin = json.indexOf(LOGS_BEGIN);
  if (begin === -1) return json;
  let end = begin + LOGS_BEGIN.length;
  do {
    end = json.indexOf(LOGS_END, end) + LOGS_END.length;
    if (end < LOGS_END.length) return json;
  } while (!isLetter(json[end]));
  const next = end - 1;
  json.copyWithin(begin, next);
  return json.subarray(0, json.length - (next - begin));
}

function isLetter(byte: number | undefined): boolean {
  const lower = (byte ?? 0) | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
