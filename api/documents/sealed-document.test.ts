import { randomBytes } from 'node:crypto';
import { assert, integer, pre, property, tuple, uint8Array, uuid } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { masterKeyOf } from './master-key.ts';
import { DamagedDocumentError, OtherMasterKeyError, openDocument, sealDocument } from './sealed-document.ts';

const master = masterKeyOf(randomBytes(32).toString('base64'));
const anyDocument = uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));

function expectDamaged(id: string, sealed: ReturnType<typeof sealDocument>): void {
  expect(() => openDocument(master, id, sealed)).toThrow(DamagedDocumentError);
}

describe('a sealed document', () => {
  it('decrypts to the original bytes, and contains none of them unencrypted', () => {
    assert(
      property(uuid(), anyDocument, (id, plaintext) => {
        const sealed = sealDocument(master, id, plaintext);
        expect(openDocument(master, id, sealed)).toEqual(plaintext);
        if (plaintext.length >= 8) expect(sealed.content.includes(plaintext.subarray(0, 8))).toBe(false);
      }),
    );
  });

  it('decrypts if an earlier version sealed it', () => {
    const sealed = {
      masterKeyId: '8c0cc17a04942cc4',
      wrappedKey: Buffer.from(
        '+Ng7bzM9toSRJYeN0SM2sWbWyuqmYjfwKC2oxiu/Hu+qHAPLh3m5aYGww/7KPThUif780aRx4Vw5duii',
        'base64',
      ),
      content: Buffer.from('fgqkFZt0nUddygvV/p/vuxmkMdD+1sI61KPJNxKPBleKlICK', 'base64'),
      contentHash: '86edbaa24831badfa0a8b04bb410141e2ee4182b6d0014493fe262a7a331c20b',
      byteLength: 8,
    };
    const knownMaster = masterKeyOf(Buffer.alloc(32, 9).toString('base64'));
    expect(openDocument(knownMaster, 'id', sealed).toString()).toBe('%PDF-1.7');
  });

  it('is encrypted with a new data key each time', () => {
    const [one, two] = [1, 2].map(() => sealDocument(master, 'id', Buffer.from('same')));
    expect(one?.content.equals(two?.content ?? Buffer.alloc(0))).toBe(false);
    expect(one?.wrappedKey.equals(two?.wrappedKey ?? Buffer.alloc(0))).toBe(false);
  });

  it('does not decrypt with a flipped bit, a missing part or a different id', () => {
    const bitPosition = tuple(integer({ min: 0, max: 1 }), integer({ min: 0 }), integer({ min: 0, max: 7 }));
    assert(
      property(uuid(), anyDocument, bitPosition, (id, plaintext, [part, byteOffset, bit]) => {
        const sealed = sealDocument(master, id, plaintext);
        const [wrappedKey, content] = [Buffer.from(sealed.wrappedKey), Buffer.from(sealed.content)];
        const changed = part === 0 ? wrappedKey : content;
        const at = byteOffset % changed.length;
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
        const short = sealed.content.subarray(0, byteOffset % sealed.content.length);
        expectDamaged(id, { ...sealed, wrappedKey, content });
        expectDamaged(id, { ...sealed, content: short });
        expectDamaged(id, { ...sealed, contentHash: '0'.repeat(64) });
        expectDamaged(`${id}x`, sealed);
      }),
      { numRuns: 60 },
    );
  });

  it('does not decrypt with the key or the content of a different document', () => {
    assert(
      property(uuid(), uuid(), anyDocument, (first, second, plaintext) => {
        pre(first !== second);
        const [one, two] = [sealDocument(master, first, plaintext), sealDocument(master, second, plaintext)];
        expectDamaged(first, two);
        expectDamaged(first, { ...one, wrappedKey: two.wrappedKey });
        expectDamaged(first, { ...one, content: two.content });
      }),
      { numRuns: 30 },
    );
  });

  it('opens only with its own master key; the error names that key', () => {
    const sealed = sealDocument(master, 'id', Buffer.from('text'));
    const other = masterKeyOf(randomBytes(32).toString('base64'));
    const open = () => openDocument(other, 'id', sealed);
    expect(open).toThrow(OtherMasterKeyError);
    expect(open).toThrow(master.id);
    expect(() => openDocument({ ...other, id: master.id }, 'id', sealed)).toThrow(DamagedDocumentError);
  });
});
