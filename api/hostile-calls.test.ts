// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminLogin, changeOwnPassword } from '../data/contract/admin-session.ts';
import { beginTotp } from '../data/contract/admin-totp.ts';
import { type Call, errorBody, errorsOf } from '../data/contract/call.ts';
import { CALLS } from '../data/contract/calls.ts';
import { ERRORS, type ErrorCode } from '../data/contract/errors.ts';
import * as PATHS from '../data/contract/paths.ts';
import { isAdminRole } from '../data/model/admin-rules.ts';
import { signedInAdmin } from './admin/testing/team.ts';
import { sampleBook } from './chat/testing/sample-book.ts';
import { FakeIndex, TEST_START } from './testing/fake-index.ts';
import { type Answer, ask } from './testing/portal-client.ts';
import { manyStakes, openedStake } from './testing/sample-stakes.ts';
import { openRowReader } from './testing/test-files.ts';
import { startTestPortal, type TestPortal } from './testing/test-portal.ts';
import { signInWallet, type TestWallet, testWallet } from './testing/test-wallet.ts';
import { validBody } from './testing/valid-body.ts';

/** A call that is added to the contract is tested here automatically. */
const WRITING_CALLS = CALLS.filter(({ method }) => method === 'POST');
const BODY_CALLS = WRITING_CALLS.filter((call) => call.body !== undefined && call.files === undefined);
/** Calls with files. They are tested here with bodies that are not multipart; `hostile-uploads.test.ts` tests the parts. */
const FILE_CALLS = WRITING_CALLS.filter((call) => call.files !== undefined);
const OWNER_CALLS = CALLS.filter(({ access }) => access === 'wallet-owner');

/** Calls for which the portal counts and records rejections, for example after a wrong password. */
const COUNTED_CALLS: readonly string[] = [adminLogin, changeOwnPassword, beginTotp].map(({ path }) => path);
const COUNT_TABLES: readonly string[] = ['audit_records', 'sign_in_failures'];

/** The first two are SQL and HTML, which `someValues` picks for the first text of every call. */
const HOSTILE_TEXTS = [
  `hostile'); DROP TABLE audit_records;--`,
  `hostile<script>alert(1)</script>`,
  `hostile" OR "1"="1`,
  `hostile"><img src=x onerror=alert(1)>`,
  `hostile\u0000\u202e\ud800`,
];
/** The first two are a wrong type and a text that is too long, which `someValues` picks for the first field of every call. */
const WRONG_VALUES = [{ $gt: '' }, 'x'.repeat(60_000), null, true, 12, -0.5, [], ['a'], {}];
const POLLUTION = [
  '"__proto__":{"hostile":true}',
  '"constructor":{"prototype":{"hostile":true}}',
  '"prototype":{"hostile":true}',
];

let portal: TestPortal;
let rowReader: ReturnType<typeof openRowReader>;
let owner: TestWallet;
let stranger: TestWallet;
let ownersCookie: string;
let strangersCookie: string;
/** The session of an admin with the owner role. */
let adminToken: string;
let requestCount = 0;

beforeAll(async () => {
  [owner, stranger] = [testWallet(), testWallet()];
  const index = new FakeIndex();
  // Both wallets stake enough, so no call is rejected because of the stake.
  index.storedStakes = {
    ...manyStakes(0),
    entries: [owner, stranger].map(({ address }, number) =>
      openedStake(number, { wallet: address, amount: 8_000_000_000_000n }),
    ),
  };
  const book = sampleBook();
  portal = await startTestPortal({ index, openChatBook: async () => book });
  rowReader = openRowReader(portal.folder);
  ownersCookie = await signInWallet(portal.port, owner);
  strangersCookie = await signInWallet(portal.port, stranger);
  adminToken = (await signedInAdmin(portal.store, { username: 'Olga', at: TEST_START })).token;
});
afterAll(async () => {
  rowReader.close();
  await portal.close();
});

/** Sends from a new address, so that no rate limit applies. */
function send(call: Call, body: string, cookie = ''): Promise<Answer> {
  requestCount += 1;
  const address = `10.${(requestCount >> 16) & 255}.${(requestCount >> 8) & 255}.${requestCount & 255}`;
  const headers = {
    'Content-Type': 'application/json',
    'X-Forwarded-For': address,
    Cookie: cookie,
    ...(isAdminRole(call.access) ? { Authorization: `Bearer ${adminToken}` } : {}),
  };
  return ask(portal.port, call.path, { method: call.method, headers, body });
}

let bodyCount = 0;

function bodyOf(call: Call): Record<string, unknown> {
  bodyCount += 1;
  const body = validBody(call, bodyCount, owner.address);
  expect(call.body?.safeParse(body).error, call.path).toBeUndefined();
  return body;
}

/** Two values for the first field and one for each other field, because trying all would take 10,000 requests. */
const someValues = <T>(values: readonly T[], field: number): readonly T[] =>
  field === 0 ? values.slice(0, 2) : [values[(field + 1) % values.length] as T];

type FieldPath = readonly string[];

function fieldsOf(value: unknown, parentPath: FieldPath = []): readonly FieldPath[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [...parentPath, name],
    ...fieldsOf(inner, [...parentPath, name]),
  ]);
}

function withField(body: unknown, [name, ...rest]: FieldPath, value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(body)) {
    return body.map((one, index) => (String(index) === name ? withField(one, rest, value) : one));
  }
  const fields = body as Record<string, unknown>;
  return { ...fields, [name]: withField(fields[name], rest, value) };
}

function valueAt(body: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body);
}

const refusalsOf = (call: Call): readonly ErrorCode[] =>
  errorsOf(call).filter((code) => ERRORS[code][0] < 500 && code !== 'too-many-requests');

async function expectRefused(send: () => Promise<Answer>, codes: readonly ErrorCode[], label: string) {
  const before = rowReader.read();
  const { status, body } = await send();
  const refusal = errorBody.parse(JSON.parse(body));
  const code = codes.find((one) => one === refusal.code);
  if (code === undefined) throw new Error(`${label}: ${status} ${body.slice(0, 200)}`);
  expect(status, label).toBe(ERRORS[code][0]);
  expect(refusal.error.length, label).toBeGreaterThan(10);
  expect(rowReader.read(), label).toEqual(before);
}

/** The rows that are already examined. Rows that a call adds after its response are examined with the next call. */
const examinedRows = new Set<string>();

/** Expects a rejection, or that the text was stored literally and nothing else happened. */
async function expectHarmless({ path }: Call, send: () => Promise<Answer>, label: string) {
  const storedRows = () => {
    const isCount = (table: string) => COUNTED_CALLS.includes(path) && COUNT_TABLES.includes(table);
    return new Map([...rowReader.read()].filter(([table]) => !isCount(table)));
  };
  const before = storedRows();
  const answer = await send();
  expect(answer.status, `${label}: ${answer.body.slice(0, 200)}`).toBeLessThan(500);
  expect(answer.headers, label).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  const after = storedRows();
  if (answer.status >= 400) {
    expect(after, label).toEqual(before);
    return;
  }
  for (const [table, earlier] of before) {
    // These tables can lose rows, because SQLite merges the segments of a full-text index as it grows.
    if (/_words_(data|idx)$/.test(table)) continue;
    expect(after.get(table)?.length ?? 0, `${label}: ${table}`).toBeGreaterThanOrEqual(earlier.length);
  }
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  // Form fields are JSON in one column, so they are escaped twice here. The search index has two spaces before each word.
  const isUnchanged = (row: string) =>
    HOSTILE_TEXTS.flatMap((text) => [escaped(text), escaped(escaped(text))]).some((text) =>
      row.replaceAll('  ', ' ').includes(text),
    );
  const newRows = [...after.values()].flat().filter((row) => !examinedRows.has(row));
  for (const row of newRows) examinedRows.add(row);
  const altered = newRows.filter((row) => row.includes('hostile') && !isUnchanged(row));
  expect(altered, label).toEqual([]);
}

describe.each(BODY_CALLS.map((call) => [call.path, call] as const))('POST %s', (_path, call) => {
  it('rejects a body that is too large, truncated, not an object or empty', async () => {
    const large = JSON.stringify({ ...bodyOf(call), filler: 'x'.repeat(70_000) });
    await expectRefused(() => send(call, large, ownersCookie), ['body-too-large'], 'a large body');
    const half = JSON.stringify(bodyOf(call)).slice(0, -3);
    for (const text of [half, '[]', '']) {
      await expectRefused(() => send(call, text, ownersCookie), refusalsOf(call), text);
    }
  });

  it('rejects wrong values in every field', async () => {
    const paths = fieldsOf(bodyOf(call));
    expect(paths.length).toBeGreaterThan(0);
    for (const [field, path] of paths.entries()) {
      for (const wrong of someValues(WRONG_VALUES, field)) {
        const changed = withField(bodyOf(call), path, wrong);
        const about = `${path.join('.')} as ${JSON.stringify(wrong).slice(0, 40)}`;
        if (call.body?.safeParse(changed).success) continue;
        await expectRefused(() => send(call, JSON.stringify(changed), ownersCookie), refusalsOf(call), about);
      }
    }
  });

  it('stores SQL and HTML literally, or rejects them', async () => {
    const sample = bodyOf(call);
    const textPaths = fieldsOf(sample).filter((one) => typeof valueAt(sample, one) === 'string');
    for (const [field, path] of textPaths.entries()) {
      for (const text of someValues(HOSTILE_TEXTS, field)) {
        const changed = JSON.stringify(withField(bodyOf(call), path, text));
        await expectHarmless(call, () => send(call, changed, ownersCookie), `${path.join('.')} as ${text}`);
      }
    }
  });

  it('lets no key of a body pollute the object prototype', async () => {
    const inside = JSON.stringify(bodyOf(call)).slice(1, -1);
    // Sends `__proto__` alone first, because a call may refuse the other two as unknown fields.
    for (const keys of [POLLUTION.slice(0, 1), POLLUTION.slice(1)]) {
      const text = `{${[...(inside === '' ? [] : [inside]), ...keys].join()}}`;
      const answer = await send(call, text, ownersCookie);
      expect(answer.status, answer.body).toBeLessThan(500);
      expect(({} as Record<string, unknown>).hostile).toBeUndefined();
      expect([...rowReader.read().values()].flat().join()).not.toContain('"hostile":');
    }
  });
});

describe.each(FILE_CALLS.map((call) => [call.path, call] as const))('POST %s', (_path, call) => {
  it('rejects a body that is not multipart', async () => {
    const bodies = ['', '{', '[]', 'null', JSON.stringify(bodyOf(call)), ...POLLUTION, ...HOSTILE_TEXTS];
    for (const text of bodies)
      await expectRefused(() => send(call, text, ownersCookie), ['not-multipart'], text.slice(0, 40));
    const large = JSON.stringify({ ...bodyOf(call), filler: 'x'.repeat(1_048_576) });
    await expectRefused(
      () => send(call, large, ownersCookie),
      ['not-multipart', 'upload-too-large'],
      'a megabyte',
    );
  });
});

describe('a call for the owner of a wallet', () => {
  const forged = `walletSession=${'A'.repeat(43)}`;

  it('is rejected without a session, with a made-up one, or with another wallet’s session', async () => {
    for (const call of OWNER_CALLS) {
      const body = call.method === 'POST' ? JSON.stringify(bodyOf(call)) : '';
      for (const cookie of ['', forged, 'walletSession=', `${forged}; ${ownersCookie}`]) {
        await expectRefused(
          () => send(call, body, cookie),
          ['wallet-not-proven'],
          `${call.path} with "${cookie}"`,
        );
      }
      if (!body.includes(owner.address)) continue;
      const about = `${call.path} for another’s wallet`;
      await expectRefused(() => send(call, body, strangersCookie), ['wallet-not-proven'], about);
    }
  });
});

describe('the verification stream', () => {
  it('rejects an invalid address and never echoes it into the stream', async () => {
    const breaking = 'x\n\nevent: result\ndata: {"tier":"Raven"}\n\n';
    for (const text of [...HOSTILE_TEXTS, breaking, '', 'x'.repeat(4_000)]) {
      const query = new URLSearchParams({ walletAddress: text });
      const path = `${PATHS.verificationSteps}?${query}`;
      await expectRefused(() => ask(portal.port, path), ['invalid-query'], path.slice(0, 80));
    }
  });
});
