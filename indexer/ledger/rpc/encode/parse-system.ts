/** The `jsonParsed` form of system instructions, nonce instructions excepted (Agave, `transaction-status/src/parse_system.rs`). */
import { ByteReader } from './byte-reader.ts';
import { nameAccounts, type ParsedInstruction, type ResolvedInstruction } from './instruction-accounts.ts';

interface Layout {
  readonly type: string;
  readonly accounts: readonly string[];
  readonly fields: (reader: ByteReader) => Record<string, unknown>;
}

/** By instruction number; members are read in the order they are written here. */
const LAYOUTS: Readonly<Record<number, Layout>> = {
  0: {
    type: 'createAccount',
    accounts: ['source', 'newAccount'],
    fields: (reader) => ({ lamports: reader.u64(), space: reader.u64(), owner: reader.address() }),
  },
  1: { type: 'assign', accounts: ['account'], fields: (reader) => ({ owner: reader.address() }) },
  2: {
    type: 'transfer',
    accounts: ['source', 'destination'],
    fields: (reader) => ({ lamports: reader.u64() }),
  },
  3: {
    type: 'createAccountWithSeed',
    accounts: ['source', 'newAccount'],
    fields: (reader) => ({
      base: reader.address(),
      seed: reader.text(),
      lamports: reader.u64(),
      space: reader.u64(),
      owner: reader.address(),
    }),
  },
  8: { type: 'allocate', accounts: ['account'], fields: (reader) => ({ space: reader.u64() }) },
  9: {
    type: 'allocateWithSeed',
    accounts: ['account', 'base'],
    fields: (reader) => ({
      base: reader.address(),
      seed: reader.text(),
      space: reader.u64(),
      owner: reader.address(),
    }),
  },
  10: {
    type: 'assignWithSeed',
    accounts: ['account', 'base'],
    fields: (reader) => ({ base: reader.address(), seed: reader.text(), owner: reader.address() }),
  },
  11: {
    type: 'transferWithSeed',
    accounts: ['source', 'sourceBase', 'destination'],
    fields: (reader) => ({
      lamports: reader.u64(),
      sourceSeed: reader.text(),
      sourceOwner: reader.address(),
    }),
  },
};

/** The parsed form, or null where there is none. */
export function parseSystem({ accounts, data }: ResolvedInstruction): ParsedInstruction | null {
  const reader = new ByteReader(data);
  const layout = LAYOUTS[reader.u32()];
  if (layout === undefined) return null;
  const named = nameAccounts(accounts, layout.accounts);
  return named === null ? null : { type: layout.type, info: { ...named, ...layout.fields(reader) } };
}
