import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { iso } from './wire-rows.ts';

it('formats every timestamp like Date.toISOString', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(iso(date.getTime())).toBe(date.toISOString());
    }),
  );
});
