import { describe, expect, it } from 'vitest';
import { SAMPLE_WALLET } from '../testing/samples.ts';
import { compareNames, mergeNames, NAME_LIMITS, nameError, parseNames } from './names-file.ts';
import { toNamesFile } from './own-names.ts';

const OTHER = 'So11111111111111111111111111111111111111112';
const fileText = (names: unknown, more = {}) =>
  JSON.stringify({ format: 'blackduck-address-book', version: 1, names, ...more });

describe('a name', () => {
  it.each([
    ['Savings', null],
    ['<b>Ada</b> & Söhne 🦆', null],
    ['', 'empty'],
    ['x y'.repeat(NAME_LIMITS.characters), 'too-long'],
    ['🦆'.repeat(NAME_LIMITS.characters), null],
    ['a\u202eb', 'characters'],
    ['a\nb', 'characters'],
    [SAMPLE_WALLET, 'address'],
    ['4vJ9…Xb2T', 'address'],
    ['4vJ9...Xb2T', 'address'],
    ['wait... what', null],
  ])('%j is checked (error: %s)', (name, error) => {
    expect(nameError(name)).toBe(error);
  });
});

describe('a file of names', () => {
  it('can be read back as it was exported', () => {
    const names = new Map([
      [SAMPLE_WALLET, '<b>Ada</b>'],
      [OTHER, 'Savings'],
    ]);
    expect(parseNames(JSON.stringify(toNamesFile(names)))).toEqual(names);
  });

  it.each([
    ['{', { kind: 'not-json' }],
    ['[]', { kind: 'not-a-book' }],
    [JSON.stringify({ names: [] }), { kind: 'not-a-book' }],
    [fileText([], { version: 2 }), { kind: 'newer' }],
    [fileText([null]), { kind: 'address', entryNumber: 1 }],
    [
      fileText([
        { address: SAMPLE_WALLET, name: 'A' },
        { address: 'x', name: 'B' },
      ]),
      { kind: 'address', entryNumber: 2 },
    ],
    [fileText([{ address: SAMPLE_WALLET, name: 7 }]), { kind: 'name', entryNumber: 1 }],
    [fileText([{ address: SAMPLE_WALLET, name: 'a\u202eb' }]), { kind: 'name', entryNumber: 1 }],
    [
      fileText([
        { address: SAMPLE_WALLET, name: 'A' },
        { address: SAMPLE_WALLET, name: 'B' },
      ]),
      { kind: 'twice', entryNumber: 2 },
    ],
    [fileText(new Array(NAME_LIMITS.names + 1).fill(null)), { kind: 'too-many' }],
    [' '.repeat(NAME_LIMITS.fileKb * 1_000 + 1), { kind: 'too-large' }],
  ])('is rejected: %.60s', (text, error) => {
    expect(parseNames(text)).toEqual(error);
  });
});

it('an import adds names, and replaces only those that were chosen', () => {
  const own = new Map([
    [SAMPLE_WALLET, 'Mine'],
    ['kept', 'Kept'],
  ]);
  const imported = new Map([
    [SAMPLE_WALLET, 'Theirs'],
    [OTHER, 'New'],
    ['kept', 'Kept'],
  ]);
  expect(compareNames(own, imported)).toEqual({
    newEntries: [{ address: OTHER, name: 'New', ownName: undefined }],
    unchangedCount: 1,
    conflicts: [{ address: SAMPLE_WALLET, name: 'Mine', importedName: 'Theirs' }],
  });
  const mergeReplacing = (replaced: readonly string[]) => {
    const names = new Map(own);
    mergeNames(names, imported, new Set(replaced));
    return Object.fromEntries(names);
  };
  expect(mergeReplacing([])).toEqual({ [SAMPLE_WALLET]: 'Mine', kept: 'Kept', [OTHER]: 'New' });
  expect(mergeReplacing([SAMPLE_WALLET])).toEqual({
    [SAMPLE_WALLET]: 'Theirs',
    kept: 'Kept',
    [OTHER]: 'New',
  });
});
