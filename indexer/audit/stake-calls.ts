import { anchorTag, STREAMFLOW } from './chain-accounts.ts';
import type { RunGroup, RunInstruction } from './chain-instructions.ts';
import { TOKEN_2022, transferOf } from './chain-tokens.ts';

/** A call of the staking program that opened or ended a stake of one pool. */
export interface StakeCall {
  readonly word: 'stake' | 'unstake';
  readonly entry: string | null;
  /** The wallet that the entry belongs to. */
  readonly authority: string | null;
  /** The wallet that paid for a stake, or that an unstake returned to. */
  readonly payer: string | null;
  /** What it moved: base units, signed; null where the node did not record the transfer. */
  readonly change: bigint | null;
  /** Whether the transfer ran in Token-2022, where a fee may be withheld. */
  readonly isToken2022: boolean;
}

/** Where the calls name accounts. Source: Streamflow's IDL. */
const ENTRY_PLACE = 1;
const VAULT_PLACE = 3;

const KINDS = [
  { word: 'stake', tag: anchorTag('global', 'stake'), authorityPlace: 6, payerPlace: 5 },
  { word: 'unstake', tag: anchorTag('global', 'unstake'), authorityPlace: 5, payerPlace: 5 },
  { word: 'unstake', tag: anchorTag('global', 'unstake_as_worker'), authorityPlace: 5, payerPlace: 5 },
] as const;

function kindOf({ program, data }: RunInstruction) {
  return program === STREAMFLOW ? KINDS.find(({ tag }) => tag.equals(data.subarray(0, 8))) : undefined;
}

/** What ran within an instruction of a group. Where depths are not recorded: what ran up to the next stake or unstake. */
function within(group: RunGroup, place: number): readonly RunInstruction[] {
  const following = group.slice(place + 1);
  const height = group[place]?.height ?? null;
  const end = following.findIndex((next) =>
    height === null || next.height === null ? place > 0 && kindOf(next) !== undefined : next.height <= height,
  );
  return end === -1 ? following : following.slice(0, end);
}

/** The calls that name a pool's vault, those of the message and those inside others, in order of execution. */
export function stakeCalls(groups: readonly RunGroup[], vault: string): readonly StakeCall[] {
  return groups.flatMap((group) =>
    group.flatMap((instruction, place) => {
      const kind = kindOf(instruction);
      const { accounts } = instruction;
      if (!kind || accounts[VAULT_PLACE] !== vault) return [];
      const { word, authorityPlace, payerPlace } = kind;
      const transfer = within(group, place)
        .map(transferOf)
        .find((found) => (word === 'stake' ? found?.destination : found?.source) === vault);
      const sign = word === 'stake' ? 1n : -1n;
      return {
        word,
        entry: accounts[ENTRY_PLACE] ?? null,
        authority: accounts[authorityPlace] ?? null,
        payer: accounts[payerPlace] ?? null,
        change: transfer ? sign * transfer.amount : null,
        isToken2022: transfer?.program === TOKEN_2022,
      };
    }),
  );
}
