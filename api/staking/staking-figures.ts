import type { ResponseOf } from '../../data/contract/call.ts';
import {
  enhancedStakers,
  programSummary,
  stakeDistribution,
  stakingTransfers,
} from '../../data/contract/stakes.ts';
import { ratioText, toDecimalText } from '../../data/model/amounts.ts';
import { dayOf, dayText } from '../../data/model/reports.ts';
import { concentrationOf, TOP_STAKER_COUNT, unlockSchedule } from '../../data/model/stake-distribution.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { CARD_TIERS, cardTier } from '../../data/model/tiers.ts';
import type { Reconciliation } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import {
  chainProvenance,
  chainSnapshot,
  type Figure,
  type FigureInputs,
  figure,
  type Reading,
  reconciliationVerdict,
  watchedAccountName,
} from '../metrics/figure.ts';
import type { StakesContent } from './current-stakes.ts';
import {
  type EnhancedRows,
  endedRows,
  enhancedRows,
  nextDurationChange,
  type SerializedList,
  transferRows,
  withDurations,
} from './staker-rows.ts';

type Summary = ResponseOf<typeof programSummary>;

const transferLists = new WeakMap<StakesContent, Record<'stakers' | 'ended', SerializedList>>();

function transferListsOf(content: StakesContent) {
  const lists = transferLists.get(content) ?? { stakers: transferRows(content), ended: endedRows(content) };
  transferLists.set(content, lists);
  return lists;
}

function transfersReading({ source, stakes }: FigureInputs, now: number): Reading | null {
  if (!stakes) return null;
  const { content } = stakes;
  const { stakers, ended } = transferListsOf(content);
  const totals = {
    totalStakers: content.stakers.length,
    totalStaked: toDecimalText(content.staked, content.decimals),
  };
  const provenance = chainProvenance(source, stakes, now);
  const head = JSON.stringify({ ...totals, ...provenance }).slice(0, -1);
  const text = (stakersText: string, endedText: string) =>
    `${head},"stakers":${stakersText},"ended":${endedText}}`;
  return {
    json: text(stakers.json, ended.json),
    fingerprint: JSON.stringify([totals, stakers.tag, ended.tag, source, provenance.state]),
    precomputed: {
      contentId: text(stakers.tag, ended.tag),
      bytes: Buffer.byteLength(text('', '')) + stakers.bytes + ended.bytes,
    },
  };
}

interface EnhancedList {
  readonly provenWallets: ReadonlySet<string>;
  readonly rows: EnhancedRows;
  readonly list: SerializedList;
  /** The period (Unix ms) in which the staking durations in `list` are correct. */
  readonly from: number;
  readonly until: number;
}

const enhancedLists = new WeakMap<StakesContent, EnhancedList>();

function enhancedListOf(
  content: StakesContent,
  provenWallets: ReadonlySet<string>,
  now: number,
): EnhancedList {
  const stored = enhancedLists.get(content);
  const cached = stored?.provenWallets === provenWallets ? stored : undefined;
  if (cached && now >= cached.from && now < cached.until) return cached;
  const rows = cached?.rows ?? enhancedRows(content, provenWallets);
  const until = nextDurationChange(content.stakers, now) ?? Number.POSITIVE_INFINITY;
  const created = { provenWallets, rows, list: withDurations(rows, now), from: now, until };
  enhancedLists.set(content, created);
  return created;
}

function enhancedReading({ source, stakes, provenWallets }: FigureInputs, now: number): Reading | null {
  if (!stakes) return null;
  const { rows, list } = enhancedListOf(stakes.content, provenWallets, now);
  // The fingerprint does not cover the days staked, because clients compute them from the start of each lock.
  return {
    json: list.json,
    fingerprint: rows.tag,
    precomputed: { contentId: list.tag, bytes: list.bytes },
    provenance: chainProvenance(source, stakes, now),
  };
}

interface Distribution {
  readonly fields: Omit<ResponseOf<typeof stakeDistribution>, keyof ReturnType<typeof chainProvenance>>;
  /** The period (Unix ms) in which the fields are valid. */
  readonly from: number;
  readonly until: number;
}

const distributions = new WeakMap<StakesContent, Distribution>();

function tierRows({ stakers, staked, decimals }: StakesContent): Distribution['fields']['tiers'] {
  const byTier = Map.groupBy(stakers, (staker) => cardTier(staker.staked, decimals));
  return [null, ...CARD_TIERS].map((tier) => {
    const members = byTier.get(tier) ?? [];
    const amount = members.reduce((sum, member) => sum + member.staked, 0n);
    return {
      tier,
      stakers: members.length,
      amount: toDecimalText(amount, decimals),
      percent: ratioText(amount * 100n, staked, 2),
    };
  });
}

function distributionOf(content: StakesContent, now: number): Distribution {
  const cached = distributions.get(content);
  if (cached && now >= cached.from && now < cached.until) return cached;
  const { stakers, staked, openStakesByWallet, decimals } = content;
  const text = (amount: bigint) => toDecimalText(amount, decimals);
  const percent = (amount: bigint) => ratioText(amount * 100n, staked, 2);
  const schedule = unlockSchedule([...openStakesByWallet.values()].flat(), now);
  const { topStake, gini } = concentrationOf(stakers.map((staker) => staker.staked));
  const fields: Distribution['fields'] = {
    totalStaked: text(staked),
    totalStakers: stakers.length,
    unlocked: text(schedule.unlocked),
    weeks: schedule.weeks.map(({ from, amount, stakes }) => ({
      from: dayText(dayOf(from)),
      to: dayText(dayOf(from) + 6),
      amount: text(amount),
      stakes,
    })),
    later: text(schedule.later),
    top: stakers.slice(0, TOP_STAKER_COUNT).map((staker) => ({
      wallet: staker.wallet,
      amount: text(staker.staked),
      percent: percent(staker.staked),
    })),
    topPercent: percent(topStake),
    gini,
    tiers: tierRows(content),
  };
  const created = { fields, from: now, until: schedule.nextChangeAt };
  distributions.set(content, created);
  return created;
}

function distributionBody(
  { source, stakes }: FigureInputs,
  now: number,
): ResponseOf<typeof stakeDistribution> | null {
  return stakes && { ...distributionOf(stakes.content, now).fields, ...chainProvenance(source, stakes, now) };
}

/** When (Unix ms) the unlock schedule next changes if the stakes stay the same. */
export const nextUnlockChange = (content: StakesContent, now: number): number =>
  distributionOf(content, now).until;

function verificationOf(reconciliation: Reconciliation | null, now: number): Summary['verification'] {
  if (!reconciliation) return { state: 'not-yet', slot: null, at: null, differences: [] };
  const { slot, at, differences } = reconciliation;
  return {
    state: reconciliationVerdict(reconciliation, now),
    slot,
    at: new Date(at).toISOString(),
    differences: differences.map(({ what, onChain, indexed }) => ({
      what,
      onChain: String(onChain),
      indexed: String(indexed),
    })),
  };
}

function summaryBody(inputs: FigureInputs, now: number): Summary | null {
  const snapshot = chainSnapshot(inputs);
  const { stakes, index } = inputs;
  if (!snapshot || !stakes) return null;
  const { content } = stakes;
  const provenance = chainProvenance(snapshot.source, stakes, now);
  return {
    isActive: provenance.state === 'stale' ? null : content.entryCount > 0,
    programAddress: STAKING_PROGRAM,
    stakePool: snapshot.identity.stakePool,
    tokenAddress: snapshot.identity.mint,
    totalAccounts: content.entryCount,
    totalValue: toDecimalText(content.staked, content.decimals),
    lastVerified: index.lastAgreement && new Date(index.lastAgreement.at).toISOString(),
    verification: verificationOf(index.reconciliation, now),
    quarantined: index.quarantinedCount,
    alarms: index.alarms.map((alarm) => ({
      kind: alarm.kind,
      account: watchedAccountName(snapshot.identity, alarm.account),
      signature: alarm.signature,
      slot: alarm.slot,
      blockTime: alarm.blockTime === null ? null : Math.floor(alarm.blockTime / 1_000),
      address: alarm.address,
    })),
    ...provenance,
  };
}

const notIndexedError = new ApiError('not-indexed-yet');

export const STAKING_FIGURES: readonly Figure[] = [
  { call: stakingTransfers, absentError: notIndexedError, read: transfersReading },
  { call: enhancedStakers, absentError: notIndexedError, read: enhancedReading },
  figure(stakeDistribution, distributionBody),
  figure(programSummary, summaryBody),
];
