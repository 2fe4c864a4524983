import { expect, it } from 'vitest';
import { freeBuffer } from './free-buffer.ts';

it('frees a buffer with memory of its own, and no memory that is shared', () => {
  const own = Buffer.alloc(65_536, 'x');
  const whole = Buffer.from('shared');
  const part = whole.subarray(2);
  freeBuffer(part);
  freeBuffer(own);
  expect(String(whole)).toBe('shared');
  expect(own).toHaveLength(0);
});
