/*
 * Finds scripts, actions that start programs, and attached files in a PDF (ISO 32000-2), including its compressed object streams.
 * The search looks for the PDF names of such content in the file's bytes. It ignores the cross-reference, because viewers read
 * and repair cross-references differently. PDF.js, which the tests use, is not suitable. It reads only the objects that it finds
 * through the cross-reference, and decompresses without a limit. Here, reading and decompressing have limits, so the cost of a
 * hostile file is linear in its length.
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, inflate } from 'node:zlib';
import { pdfNamePattern } from './pdf-error.ts';

const decompress = promisify(inflate);

const SPACE = '\\0\\t\\n\\f\\r ';
const DELIMITERS = '()<>[\\]{}/%';
/** A reference to an object, such as `9 0 R`. A number followed by a comment also counts as one. */
const REFERENCE = `\\d+(?:[${SPACE}]+\\d+(?:[${SPACE}]+R|[${SPACE}]*%)|[${SPACE}]*%)`;

const nameMatcher = (name: string) => new RegExp(`/${pdfNamePattern(name)}(?=[${SPACE}${DELIMITERS}])`);

/**
 * Matches a short name only before a value of the right kind, because ten megabytes of compressed bytes often contain the name
 * by chance. One short comment may precede the value. A second comment or a long one counts as the value, to keep the
 * search fast.
 */
function nameMatcherBefore(name: string, value: string): RegExp {
  const valueOrComment = `${value}|%|$`;
  const comment = `%[^\\r\\n]{0,255}(?:$|[\\r\\n][${SPACE}]*(?:${valueOrComment}))|%[^\\r\\n]{256}`;
  return new RegExp(`${nameMatcher(name).source}(?=[${SPACE}]*(?:${value}|$|${comment}))`);
}

/** Content that a PDF must not have, worded as in the error message. */
type ActiveContent = 'scripts' | 'an action that starts a program' | 'attached files';

const SEARCH_PATTERNS: readonly (readonly [ActiveContent, RegExp])[] = [
  ['scripts', nameMatcher('JavaScript')],
  ['scripts', nameMatcherBefore('JS', `\\([\\t\\r\\n -~]{4}|<[\\da-fA-F${SPACE}]{4}|${REFERENCE}`)],
  // Renditions and 3D artworks can have scripts. An XFA form is a program.
  ['scripts', nameMatcher('Rendition')],
  ['scripts', nameMatcher('OnInstantiate')],
  ['scripts', nameMatcherBefore('XFA', `\\[|${REFERENCE}`)],
  ['an action that starts a program', nameMatcher('Launch')],
  ['attached files', nameMatcher('EmbeddedFile')],
  ['attached files', nameMatcher('EmbeddedFiles')],
  ['attached files', nameMatcher('FileAttachment')],
  ['attached files', nameMatcher('RichMedia')],
  ['attached files', nameMatcherBefore('EF', `<<|${REFERENCE}`)],
];

const ANY_SEARCH_PATTERN = new RegExp(SEARCH_PATTERNS.map(([, { source }]) => source).join('|'));

/** How many characters are searched at a time. Slices overlap by more than the length of any searched name. */
const SLICE_LENGTH = 256 * 1_024;
const MAX_NAME_LENGTH = 64;

async function activeContentOf(text: string): Promise<ActiveContent | null> {
  for (let start = 0; start < text.length; start += SLICE_LENGTH) {
    const slice = text.slice(start, start + SLICE_LENGTH + MAX_NAME_LENGTH);
    if (ANY_SEARCH_PATTERN.test(slice))
      return SEARCH_PATTERNS.find(([, pattern]) => pattern.test(slice))?.[0] ?? null;
    await setImmediate();
  }
  return null;
}

/** Limits for one file: bytes of dictionaries read, and bytes of object streams decompressed. */
const MAX_READ_BYTES = 4 * 1_024 * 1_024;
const MAX_DECOMPRESSED_BYTES = 16 * 1_024 * 1_024;
/** How many bytes of dictionaries are read at a time. Other requests are served in between. */
const PAUSE_AFTER_BYTES = 128 * 1_024;

/**
 * The start of an object: `obj` after a number, or at the start of a line, because a comment may separate it from the
 * number. Large pictures often contain `obj` elsewhere by chance. The lookbehind is last, so that it runs only after a
 * match of `obj`.
 */
const OBJECT_START = new RegExp(`obj(?<=(?:[${SPACE}][-+.\\d]+[${SPACE}]*|[\\r\\n][${SPACE}]*)obj)`, 'g');
const TOKEN = new RegExp(
  `[${SPACE}]+|%[^\\r\\n]*|/[^${SPACE}${DELIMITERS}]*|<<|>>|<[^>]*>?|[(>)\\[\\]{}]|[^${SPACE}${DELIMITERS}]+`,
  'y',
);
const SPACE_OR_COMMENT = new RegExp(`^[${SPACE}%]`);
const PARENTHESIS = /\\[\s\S]|[()]/g;

/** The end of the string whose opening parenthesis is just before `position`. */
function endOfString(text: string, position: number): number {
  PARENTHESIS.lastIndex = position;
  for (let depth = 1; depth > 0; ) {
    const match = PARENTHESIS.exec(text);
    if (match === null) return text.length;
    if (match[0] === '(') depth += 1;
    if (match[0] === ')') depth -= 1;
  }
  return PARENTHESIS.lastIndex;
}

interface ParsedObject {
  /** The offset at which the object ends or, for a stream, its dictionary. */
  readonly end: number;
  /** The tokens of a stream's dictionary, with names decoded and nested dictionaries left out; null for other objects. */
  readonly stream: readonly string[] | null;
}

/** Reads an object from the end of the word `obj` to the end of the object, or to the start of its stream. */
function readObject(text: string, start: number): ParsedObject {
  const limit = Math.min(text.length, start + MAX_READ_BYTES);
  const tokens: string[] = [];
  let depth = 0;
  let position = start;
  while (position < limit) {
    TOKEN.lastIndex = position;
    const [token = ''] = TOKEN.exec(text) ?? [];
    position += Math.max(token.length, 1);
    if (SPACE_OR_COMMENT.test(token)) continue;
    if (token === '(') position = endOfString(text, position);
    else if (token === '<<') depth += 1;
    else if (token === '>>') depth -= 1;
    else if (depth <= 0 && token === 'stream') return { end: position, stream: tokens };
    else if (depth <= 0 && token === 'endobj') break;
    else if (depth === 1) {
      const decoded = token.replace(/#([\da-f]{2})/gi, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
      tokens.push(decoded);
    }
  }
  return { end: position, stream: null };
}

/** A stream with one of these keys can be an object stream. Viewers accept object streams that lack some of the keys. */
const OBJECT_STREAM_KEYS = ['/ObjStm', '/First', '/N'];
/** No producer uses these keys for an object stream. They would hide its content from the search. */
const HIDING_KEYS = ['/DecodeParms', '/DP', '/F', '/FFilter', '/FDecodeParms'];

/** Whether a stream is compressed; null if it cannot be decompressed here. */
function isCompressed(tokens: readonly string[]): boolean | null {
  if (tokens.some((token) => HIDING_KEYS.includes(token))) return null;
  const [filterIndex, secondFilterIndex] = tokens.flatMap((token, index) =>
    token === '/Filter' ? [index + 1] : [],
  );
  if (filterIndex === undefined) return false;
  const value = tokens.slice(filterIndex, filterIndex + 3);
  const isFlate = value[0] === '/FlateDecode' || value.join('') === '[/FlateDecode]';
  return isFlate && secondFilterIndex === undefined ? true : null;
}

/**
 * Finds active content in a PDF; null if there is none, `unreadable` if that cannot be determined.
 * @param bytes a PDF that is not encrypted
 */
export async function findActiveContent(bytes: Buffer): Promise<ActiveContent | 'unreadable' | null> {
  const text = bytes.toString('latin1');
  const uncompressedContent = await activeContentOf(text);
  if (uncompressedContent !== null) return uncompressedContent;
  let bytesRead = 0;
  let pauseAt = PAUSE_AFTER_BYTES;
  let bytesDecompressed = 0;
  for (const { index } of text.matchAll(OBJECT_START)) {
    const start = index + 'obj'.length;
    const { end, stream } = readObject(text, start);
    bytesRead += end - start;
    if (bytesRead > MAX_READ_BYTES) return 'unreadable';
    if (bytesRead > pauseAt) {
      pauseAt = bytesRead + PAUSE_AFTER_BYTES;
      await setImmediate();
    }
    if (stream === null || !OBJECT_STREAM_KEYS.some((key) => stream.includes(key))) continue;
    const isStreamCompressed = isCompressed(stream);
    if (isStreamCompressed === false) continue;
    const [lineEnd] = /^ *\r?\n/.exec(text.slice(end, end + 64)) ?? [];
    if (isStreamCompressed === null || lineEnd === undefined) return 'unreadable';
    const data = bytes.subarray(end + lineEnd.length);
    // Accepts truncated data, as viewers do.
    const options = {
      maxOutputLength: MAX_DECOMPRESSED_BYTES - bytesDecompressed,
      finishFlush: constants.Z_SYNC_FLUSH,
    };
    const objects = await decompress(data, options).catch(() => null);
    if (objects === null) return 'unreadable';
    bytesDecompressed += objects.length;
    if (bytesDecompressed >= MAX_DECOMPRESSED_BYTES) return 'unreadable';
    const compressedContent = await activeContentOf(objects.toString('latin1'));
    if (compressedContent !== null) return compressedContent;
  }
  return null;
}
