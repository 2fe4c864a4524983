import { customType } from './drizzle.ts';

const INTEGER_TEXT = /^-?\d+$/;

/**
 * A column of base units: `bigint` here, decimal text in the file, since SQLite's integers end at 2^63 and a JS number
 * rounds from 2^53. @throws {RangeError} on reading text that is no integer: an empty amount is damage, never zero.
 */
export const baseUnits = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'text',
  toDriver: (amount) => amount.toString(),
  fromDriver: (text) => {
    if (!INTEGER_TEXT.test(text)) throw new RangeError(`The store holds "${text}" where an amount belongs.`);
    return BigInt(text);
  },
});
