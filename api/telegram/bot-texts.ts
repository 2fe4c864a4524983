import { toDecimalText } from '../../data/model/amounts.ts';
import { formatAge, formatFull, formatPrice, shorten, utcMinuteText } from '../../data/model/format.ts';
import { cardTier } from '../../data/model/tiers.ts';
import { ageState, FRESHNESS, type Freshness } from '../../data/model/value-state.ts';
import type { DeliveryStore } from '../../data/store/delivery-port.ts';
import type { RecordCounts } from '../../data/store/record-port.ts';
import { chainSnapshot, type FigureInputs } from '../metrics/figure.ts';
import type { Readiness } from '../operations/readiness.ts';

/* The bot's texts, without markup. */

const STATE_TEXTS = { live: '', ageing: ', ageing', stale: ', out of date' } as const;

/** `(12 s ago)` or `(2 min ago, out of date)`. */
function ageAndStateText(readAt: number, now: number, freshness: Freshness): string {
  return `(${formatAge(now - readAt)}${STATE_TEXTS[ageState(readAt, now, freshness)]})`;
}

function healthLines({ ready, missing, warnings }: Readiness): readonly string[] {
  const title = ready
    ? warnings.length === 0
      ? 'The portal is up, and its figures are current.'
      : 'The portal is up, with warnings:'
    : 'The portal is up, but not everything works:';
  return [title, ...(ready ? warnings : missing).map(({ what, why }) => `– ${what}: ${why}`)];
}

function chainLines(inputs: FigureInputs, now: number): readonly string[] {
  const snapshot = chainSnapshot(inputs);
  if (!snapshot) return ['Vault: unknown', 'Staked: unknown'];
  const { chain, identity } = snapshot;
  const amountText = (units: bigint) => `${formatFull(toDecimalText(units, identity.decimals))} BD`;
  const ageText = ageAndStateText(chain.readAt, now, FRESHNESS.chain);
  return [
    chain.vaultBalance === null ? 'Vault: unknown' : `Vault: ${amountText(chain.vaultBalance)} ${ageText}`,
    chain.stakerCount === null
      ? 'Staked: unknown'
      : `Staked: ${amountText(chain.totalStaked)} by ${chain.stakerCount} ${chain.stakerCount === 1 ? 'wallet' : 'wallets'} ${ageText}`,
  ];
}

function priceLine({ index: { quote } }: FigureInputs, now: number): string {
  if (!quote) return 'Price: unknown';
  const source = quote.source === 'demo' ? ', a demo price' : '';
  return `Price: $${formatPrice(quote.priceUsd)}${source} ${ageAndStateText(quote.readAt, now, FRESHNESS.market)}`;
}

export function statusText(inputs: FigureInputs, readiness: Readiness, now: number): string {
  const lines = [...healthLines(readiness), '', ...chainLines(inputs, now), priceLine(inputs, now)];
  if (inputs.source === 'embedded-ledger') {
    lines.push('These figures are from the embedded ledger, not from Solana.');
  }
  return lines.join('\n');
}

/** @param wallet a valid address */
export function walletText(wallet: string, inputs: FigureInputs, now: number): string {
  const { stakes } = inputs;
  if (!stakes || ageState(stakes.readAt, now, FRESHNESS.chain) === 'stale') {
    return 'Stake data is not available at the moment. Try again in a minute.';
  }
  const { content, readAt } = stakes;
  const readAgeText = `Read from the chain ${formatAge(now - readAt)}.`;
  const staker = content.stakerByWallet.get(wallet);
  if (!staker) return [`${shorten(wallet)} has no stake.`, 'Tier: None', readAgeText].join('\n');
  const { decimals } = content;
  const lock =
    staker.unlocksAt > now
      ? `Unlocks: ${utcMinuteText(staker.unlocksAt)}`
      : `Unlocked since ${utcMinuteText(staker.unlocksAt)}`;
  const stake = `${shorten(wallet)} stakes ${formatFull(toDecimalText(staker.staked, decimals))} BD.`;
  return [stake, `Tier: ${cardTier(staker.staked, decimals) ?? 'None'}`, lock, readAgeText].join('\n');
}

export interface TeamTextSources {
  readonly records: {
    counts(recentSince: number): Promise<Pick<RecordCounts, 'applications' | 'requests' | 'loans'>>;
  };
  readonly deliveries: Pick<DeliveryStore, 'queueDepths' | 'listDead'>;
}

const MAX_DELIVERIES = 10;

/** How many records are waiting for a decision, and how many deliveries are unsent. Contains no personal data. */
export async function queueText({ records, deliveries }: TeamTextSources): Promise<string> {
  const { applications, requests, loans } = await records.counts(0);
  const depths = await deliveries.queueDepths();
  const count = (...states: string[]) =>
    depths.filter(({ state }) => states.includes(state)).reduce((sum, depth) => sum + depth.deliveries, 0);
  return [
    'Waiting for a decision:',
    `– card applications: ${applications.received + applications['in-review']}`,
    `– verification requests: ${requests.received}`,
    `– loan applications: ${loans.received + loans['in-review']}`,
    `Deliveries to send: ${count('waiting', 'leased')}`,
    `Deliveries failed: ${count('dead')}`,
  ].join('\n');
}

/** The reference numbers of failed deliveries, newest first. Contains no personal data. */
export async function deliveriesText({ deliveries }: TeamTextSources, now: number): Promise<string> {
  const failedDeliveries = await deliveries.listDead(MAX_DELIVERIES + 1);
  if (failedDeliveries.length === 0) return 'No deliveries have failed.';
  const lines = failedDeliveries.slice(0, MAX_DELIVERIES).map(({ referenceNumber, channel, finishedAt }) => {
    const age = finishedAt === null ? '' : `, ${formatAge(now - finishedAt)}`;
    return `– ${referenceNumber} by ${channel}${age}`;
  });
  if (failedDeliveries.length > MAX_DELIVERIES)
    lines.push('and more: see the delivery log in the admin dashboard');
  return ['Failed deliveries:', ...lines].join('\n');
}
