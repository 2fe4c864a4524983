import { assert, property, string, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const box = createSecretBox(Buffer.alloc(32, 9));

describe('a sealed secret', () => {
  it('opens with the context it was sealed with', () => {
    assert(
      property(uint8Array({ maxLength: 64 }), string(), (secret, context) => {
        expect(Buffer.from(box.open(box.seal(secret, context), context))).toEqual(Buffer.from(secret));
      }),
    );
  });

  it('does not open with a different context, a different key or a flipped bit', () => {
    const sealed = box.seal(Buffer.from('an app’s secret'), 'totp:ada');
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('secret');
    expect(() => box.open(sealed, 'totp:bob')).toThrow();
    expect(() => createSecretBox(Buffer.alloc(32, 8)).open(sealed, 'totp:ada')).toThrow();
    for (const [at, byte] of sealed.entries()) {
      const changed = sealed.with(at, byte ^ 1);
      expect(() => box.open(changed, 'totp:ada'), `byte ${at}`).toThrow();
    }
    expect(() => box.open(sealed.subarray(0, 20), 'totp:ada')).toThrow();
  });

  it('opens if an earlier version of the portal sealed it', () => {
    const sealed = Buffer.from('5rOPHPrxM8u+zCa1907cHbXu02weHfeHAPIump1cxSLGFEoWD+uQYXhfzKq0', 'base64');
    expect(Buffer.from(box.open(sealed, 'totp:ada')).toString()).toBe('an app’s secret');
  });

  it('is different each time', () => {
    const secret = Buffer.from('an app’s secret');
    expect(box.seal(secret, 'a')).not.toEqual(box.seal(secret, 'a'));
  });
});
