import { expect, it } from 'vitest';
import { freeBuffer } from './free-buffer.ts';

it('frees a buffer that owns its memory, and leaves shared memory alone', () => {
  const own = Buffer.alloc(65_536, 'x');
  const whole = Buffer.from('shared');
  const part = whole.subarray(2);
  freeBuffer(part);
  freeBuffer(own);
  expect(String(whole)).toBe('shared');
  expect(own).toHaveLength(0);
});
