import { bodyFromSchema } from '../../api/testing/body-from-schema.ts';
import { validBody } from '../../api/testing/valid-body.ts';
import type { Call } from '../../data/contract/call.ts';
import { applyForLoan } from '../../data/contract/submissions.ts';
import { loanUpload } from './loan-upload.ts';

export const FLOOD_KINDS = ['valid', 'malformed', 'oversized'] as const;
export type FloodKind = (typeof FLOOD_KINDS)[number];

export interface FloodRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Filler bytes that are sent after the body, without a Content-Length. */
  readonly filler: number;
}

/** A proven wallet. Any attacker can have one. */
export interface FloodWallet {
  readonly address: string;
  readonly cookie: string;
}

/** Longer than the limit for request headers. */
const LONG_QUERY = `q=${'x'.repeat(20_000)}`;
/** Larger than the limit for a JSON body. */
const LARGE_BODY_BYTES = 2_000_000;
/** Larger than the limit for a document. */
const LARGE_FILE_BYTES = 11_000_000;
const JSON_TYPE = 'application/json';

const MALFORMED_QUERIES = [
  'walletAddress=%ff%00',
  'a[b]=c&a[b]=d',
  '%',
  'series=__proto__&range[]=24h',
  '&&&==',
];
const MALFORMED_BODIES: readonly (readonly [type: string, body: string | Buffer])[] = [
  [JSON_TYPE, '{"email":"ada@exam'],
  [JSON_TYPE, '['.repeat(50_000)],
  [JSON_TYPE, '[]'],
  [JSON_TYPE, '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}'],
  [JSON_TYPE, JSON.stringify({ email: {}, walletAddress: ['x'], message: 12, name: null })],
  [JSON_TYPE, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a])],
  [JSON_TYPE, 'x'.repeat(60_000)],
  ['text/plain', 'hello'],
  [`${JSON_TYPE}; charset=utf-7`, '{}'],
];
const BOUNDARY = 'xxBOUNDARYxx';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="passportCopy"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n`;
const MALFORMED_UPLOADS: readonly (readonly [type: string, body: string | Buffer])[] = [
  ['multipart/form-data', 'x'],
  [MULTIPART, `${PART}%PDF-1.7`],
  [MULTIPART, `--${BOUNDARY}\r\n${'X-A: b\r\n'.repeat(5_000)}\r\n--${BOUNDARY}--\r\n`],
  [MULTIPART, `${PART}a\r\n`.repeat(1_000)],
  [MULTIPART, `${PART}<html>\r\n--${BOUNDARY}--\r\n`],
  [JSON_TYPE, '{}'],
];

const pick = <T>(list: readonly T[], number: number, otherwise: T): T =>
  list[number % list.length] ?? otherwise;

const queryByPath = new Map<string, string>();

function validQuery(call: Call, wallet: FloodWallet): string {
  if (call.query === undefined) return '';
  const cachedQuery = queryByPath.get(call.path);
  if (cachedQuery !== undefined) return cachedQuery;
  const values = bodyFromSchema(call.query, { walletAddress: wallet.address }) as Record<string, unknown>;
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();
  queryByPath.set(call.path, query);
  return query;
}

function validRequest(call: Call, number: number, wallet: FloodWallet) {
  if (call.path === applyForLoan.path) {
    const { contentType, body } = loanUpload(number);
    return { query: '', type: contentType, body };
  }
  const body = call.method === 'POST' ? JSON.stringify(validBody(call, number, wallet.address)) : '';
  return { query: validQuery(call, wallet), type: JSON_TYPE, body };
}

/** Builds one request for the given kind of flood. `number` varies its body, and the query of a malformed GET request. */
export function floodRequest(
  call: Call,
  flood: FloodKind,
  number: number,
  wallet: FloodWallet,
): FloodRequest {
  // An outsider has no admin session, so the admin's token is made up.
  const headers = { Cookie: wallet.cookie, Authorization: `Bearer ${'A'.repeat(43)}` };
  const request = (query: string, type: string, body: string | Buffer, filler = 0) => ({
    path: query === '' ? call.path : `${call.path}?${query}`,
    headers: {
      ...headers,
      ...(call.method === 'POST' && { 'Content-Type': type }),
      ...(filler === 0 && { 'Content-Length': String(Buffer.byteLength(body)) }),
    },
    body,
    filler,
  });
  const isUpload = call.files !== undefined;
  if (flood === 'valid') {
    const { query, type, body } = validRequest(call, number, wallet);
    return request(query, type, body);
  }
  if (call.method === 'GET') {
    return request(flood === 'oversized' ? LONG_QUERY : pick(MALFORMED_QUERIES, number, ''), '', '');
  }
  if (flood === 'malformed') {
    const [type, body] = pick(isUpload ? MALFORMED_UPLOADS : MALFORMED_BODIES, number, ['', ''] as const);
    return request('', type, body);
  }
  if (isUpload) return request('', MULTIPART, PART, LARGE_FILE_BYTES);
  return number % 2 === 0
    ? request('', JSON_TYPE, `{"filler":"${'x'.repeat(LARGE_BODY_BYTES)}"}`)
    : request('', JSON_TYPE, '{"filler":"', LARGE_BODY_BYTES);
}
