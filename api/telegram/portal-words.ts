import { toDecimalText } from '../../data/model/amounts.ts';
import { formatAge, formatFull, formatPrice, shorten } from '../../data/model/format.ts';
import { cardTier } from '../../data/model/tiers.ts';
import { ageState, FRESHNESS, type Freshness } from '../../data/model/value-state.ts';
import { chainOf, type Facts } from '../metrics/facts.ts';
import type { Readiness } from '../operations/readiness.ts';

/** What the bot says of the portal and of a wallet: public figures, each with its age. Plain text, no markup. */

const STATE_WORDS = { live: '', ageing: ', ageing', stale: ', out of date' } as const;

/** `(12 s ago)`, with a word where that is long for its source. */
function age(readAt: number, now: number, freshness: Freshness): string {
  return `(${formatAge(now - readAt)}${STATE_WORDS[ageState(readAt, now, freshness)]})`;
}

function healthLines({ ready, missing, warnings }: Readiness): readonly string[] {
  const told = ready ? warnings : missing;
  const title = ready
    ? warnings.length === 0
      ? 'The portal is up; its figures are right.'
      : 'The portal is up; some things need a look:'
    : 'The portal is up, but its figures are missing or doubtful:';
  return [title, ...told.map(({ what, why }) => `– ${what}: ${why}`)];
}

function chainLines(facts: Facts, now: number): readonly string[] {
  const known = chainOf(facts);
  if (!known) return ['Vault: not known', 'Staked: not known'];
  const { chain, identity } = known;
  const amount = (units: bigint) => `${formatFull(toDecimalText(units, identity.decimals))} BD`;
  const at = age(chain.readAt, now, FRESHNESS.chain);
  return [
    `Vault: ${amount(chain.vaultBalance)} ${at}`,
    `Staked: ${amount(chain.totalStaked)} by ${chain.stakerCount} ${chain.stakerCount === 1 ? 'wallet' : 'wallets'} ${at}`,
  ];
}

function priceLine({ index: { quote } }: Facts, now: number): string {
  if (!quote) return 'Price: not known';
  const source = quote.source === 'demo' ? ', a made-up price' : '';
  return `Price: $${formatPrice(quote.priceUsd)}${source} ${age(quote.readAt, now, FRESHNESS.market)}`;
}

/** How the portal is, and its figures. */
export function statusWords(facts: Facts, readiness: Readiness, now: number): string {
  const ledger =
    facts.source === 'embedded-ledger' ? ['These are figures of the embedded ledger, not of Solana.'] : [];
  return [...healthLines(readiness), '', ...chainLines(facts, now), priceLine(facts, now), ...ledger].join(
    '\n',
  );
}

/** 1 January 2027, 00:00 UTC, as `2027-01-01 00:00 UTC`. */
function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What a wallet stakes, from the index: public data of any wallet. The address has been checked. */
export function walletWords(wallet: string, facts: Facts, now: number): string {
  const { stakes } = facts;
  if (!stakes || ageState(stakes.readAt, now, FRESHNESS.chain) === 'stale') {
    return 'The stakes cannot be read at the moment, so nothing can be said of this wallet. Ask again in a minute.';
  }
  const { content, readAt } = stakes;
  const read = `Read from the chain ${formatAge(now - readAt)}.`;
  const staker = content.byWallet.get(wallet);
  if (!staker) return [`${shorten(wallet)} stakes nothing.`, 'Tier: None', read].join('\n');
  const { decimals } = content;
  const lock =
    staker.unlocksAt > now
      ? `Unlocks: ${moment(staker.unlocksAt)}`
      : `Unlocked since ${moment(staker.unlocksAt)}`;
  return [
    `${shorten(wallet)} stakes ${formatFull(toDecimalText(staker.staked, decimals))} BD.`,
    `Tier: ${cardTier(staker.staked, decimals) ?? 'None'}`,
    lock,
    read,
  ].join('\n');
}
