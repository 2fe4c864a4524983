import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { iso } from './wire-rows.ts';

it('writes every time as Date does', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(iso(date.getTime())).toBe(date.toISOString());
    }),
  );
});
