import { fromDecimalText } from '../../data/model/amounts.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { BD_DECIMALS, HOLDER_NAMES } from './addresses.ts';
import type { Engine } from './engine.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { sendAction, type WalletAction } from './transactions.ts';

/** Days of history before the ledger's first start: more than two lock periods, so that early stakes have ended. */
const HISTORY_DAYS = 375;
const DAY_SECONDS = 86_400;
export const HISTORY_MILLISECONDS = HISTORY_DAYS * DAY_SECONDS * 1_000;
/** With this seed, the vault grows over the last 6, 12 and 18 hours and over the last day. */
const SEED = 531;

/** `atSeconds` is in seconds after the genesis. */
type PastEvent = WalletAction & { readonly atSeconds: number };

/**
 * Past stakes. `wallet` is a holder's number or a wallet's name, and `amount` is in BD. `beganDaysBefore` and `endedDaysBefore`
 * are days before the ledger's first start. The demo wallets' stakes match `data/model/demo-wallets.ts`.
 */
const PAST_STAKES: readonly (readonly [
  wallet: number | string,
  nonce: number,
  amount: string,
  beganDaysBefore: number,
  endedDaysBefore?: number,
])[] = [
  [1, 0, '3000000', 362.4, 181.2],
  [3, 0, '900000', 352.7, 168.3],
  [9, 0, '1750000', 340.2, 150.6],
  [2, 0, '2200000', 331.5, 147.1],
  [10, 0, '640000', 318.8, 131.4],
  [11, 0, '1505000', 300.3, 111.9],
  [12, 0, '95000', 281.6, 97.2],
  [13, 0, '410000', 262.1, 79.5],
  [7, 0, '300000', 240.9, 52.8],
  [14, 0, '1020000', 222.4, 38.1],
  [15, 0, '180000', 205.7, 19.6],
  ['demo-duckling', 0, '1500000', 199.2],
  [6, 0, '500000', 197.3, 6.4],
  [8, 0, '237434.5', 187.8],
  [1, 1, '7512400', 171.3],
  ['demo-banker', 0, '6200000', 143.7],
  [4, 0, '1503377.06', 121.5],
  [3, 1, '1648000.5', 96.1],
  ['demo-short', 0, '1499999', 61.9],
  [7, 1, '386369.25', 34.2],
  [4, 1, '400000', 12.6],
];

const VAULT_BALANCE_AT_GENESIS = fromDecimalText('92000000', BD_DECIMALS);
export const VAULT_BALANCE_AT_START = fromDecimalText('99998436.01', BD_DECIMALS);

/** @param setTime sets the engine's clock, in milliseconds after the genesis */
export function writeHistory(engine: Engine, setTime: (milliseconds: number) => void): void {
  const random = seededRandom(SEED);
  const events = [...stakeEvents(), ...vaultEvents(random), ...transferEvents(random)];
  for (const event of events.toSorted((left, right) => left.atSeconds - right.atSeconds)) {
    setTime(event.atSeconds * 1_000);
    sendAction(engine, event);
  }
}

function stakeEvents(): PastEvent[] {
  return PAST_STAKES.flatMap(
    ([walletNameOrNumber, nonce, amount, beganDaysBefore, endedDaysBefore]): PastEvent[] => {
      const wallet =
        typeof walletNameOrNumber === 'number' ? `holder-${walletNameOrNumber}` : walletNameOrNumber;
      const stake: PastEvent = {
        atSeconds: secondsAfterGenesis(beganDaysBefore),
        wallet,
        kind: 'stake',
        nonce,
        amount: fromDecimalText(amount, BD_DECIMALS),
      };
      if (endedDaysBefore === undefined) return [stake];
      if (beganDaysBefore - endedDaysBefore < LOCK_DAYS)
        throw new RangeError(`The stake of ${wallet} ends before its lock does`);
      return [stake, { atSeconds: secondsAfterGenesis(endedDaysBefore), wallet, kind: 'unstake', nonce }];
    },
  );
}

/**
 * The vault's past deposits and withdrawals. Deposits are more likely while its balance is below `VAULT_BALANCE_AT_START`, and
 * withdrawals while it is above. The last event brings the balance to exactly that amount.
 */
function vaultEvents(random: SeededRandom): PastEvent[] {
  const events: PastEvent[] = [];
  let balance = VAULT_BALANCE_AT_GENESIS;
  for (const daysBefore of vaultEventDays(random)) {
    const wallet = random.pick(HOLDER_NAMES.slice(0, 16));
    const isDeposit = random.next() < (balance < VAULT_BALANCE_AT_START ? 0.66 : 0.36);
    const amount = randomAmount(random, 4_000, isDeposit ? 420_000 : 310_000);
    balance += isDeposit ? amount : -amount;
    events.push({
      atSeconds: secondsAfterGenesis(daysBefore),
      wallet,
      kind: isDeposit ? 'deposit' : 'withdraw',
      amount,
    });
  }
  const difference = VAULT_BALANCE_AT_START - balance;
  const [kind, amount] =
    difference > 0n ? (['deposit', difference] as const) : (['withdraw', -difference] as const);
  events.push({ atSeconds: secondsAfterGenesis(1 / 24), wallet: 'holder-2', kind, amount });
  return events;
}

/**
 * Returns the times at which the vault's balance changes, in days before the start. They are about two days apart.
 * On the last day they are an hour or two apart, because the portal shows the vault's growth over parts of that day.
 */
function vaultEventDays(random: SeededRandom): number[] {
  const days: number[] = [];
  for (let day = 370; day > 1.2; day -= 1.3 + random.next() * 2) days.push(day);
  for (let hour = 26; hour > 1.5; hour -= 1 + random.next() * 1.5) days.push(hour / 24);
  return days;
}

function transferEvents(random: SeededRandom): PastEvent[] {
  const events: PastEvent[] = [];
  for (let day = 368; day > 0.2; day -= 3 + random.next() * 4) {
    const wallet = random.pick(HOLDER_NAMES);
    const to = random.pick(HOLDER_NAMES.filter((name) => name !== wallet));
    events.push({
      atSeconds: secondsAfterGenesis(day),
      wallet,
      kind: 'transfer',
      to,
      amount: randomAmount(random, 500, 90_000),
    });
  }
  return events;
}

/** A random amount in base units, from `low` to `high` BD, with two decimals. */
function randomAmount(random: SeededRandom, low: number, high: number): bigint {
  return BigInt(random.between(low * 100, high * 100)) * 10n ** BigInt(BD_DECIMALS - 2);
}

function secondsAfterGenesis(daysBeforeStart: number): number {
  return Math.round((HISTORY_DAYS - daysBeforeStart) * DAY_SECONDS);
}
