// @module-tag slow
import { beforeEach, describe, expect, it } from 'vitest';
import { PORTAL_LIMITS } from '../../model/portal-terms.ts';
import type { CardDecision } from '../../model/submission-status.ts';
import { MAX_CARDS } from '../../model/tiers.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { CardOrder, IssuedCard } from '../card-port.ts';
import { LOST_STAKE_MS, SPEND_RETENTION_MS } from '../rules/card-changes.ts';
import { adminAudit, IP_ADDRESS } from '../testing/sample-admins.ts';
import { addReviewers } from '../testing/sample-loans.ts';
import { SUBMITTED_AT, submitApplication, submitRequest } from '../testing/sample-submissions.ts';
import { reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';

const sampleOrder = (number: number, changes: Partial<CardOrder> = {}): CardOrder => ({
  id: `card-${number}`,
  walletAddress: `wallet-${number}`,
  tier: 'Banker',
  holderName: 'BlackDuck Member',
  issuer: 'stripe',
  idempotencyKey: `key-${number}`,
  stakeEntries: [`entry-${number}`],
  cardholder: null,
  at: 1_000 + number,
  ...changes,
});

const sampleIssuedCard = (number: number): IssuedCard => ({
  issuerCardId: `ic_${number}`,
  issuerCardholderId: `ich_${number}`,
  lastFour: '0042',
  expiryMonth: 3,
  expiryYear: 2031,
});

const auditRecord = (action: string, at = 2_000): AuditRecord => ({
  id: `${action} ${at}`,
  at,
  actor: 'wallet-owner',
  action,
  details: { cardId: 'card-1' },
});

describe('the cards', () => {
  useAppStore();

  const actions = async () => (await store.auditTrail(99)).map(({ action }) => action).toReversed();
  async function addActiveCard(number: number): Promise<void> {
    await store.cards.reserve(sampleOrder(number));
    await store.cards.activate(
      `card-${number}`,
      sampleIssuedCard(number),
      auditRecord('card.created', number),
    );
  }

  it('are limited to one per wallet: a second order returns the pending card, or reports the existing one', async () => {
    const { at, ...ordered } = sampleOrder(1);
    const states = { stakeGoneAt: null, frozenByTeamAt: null, closedByTeamAt: null, closedByHolderAt: null };
    const limits = { dailyLimitUsd: null, monthlyLimitUsd: null, areLimitsSent: true };
    const untouched = { ...states, ...limits, spendNoticesFrom: null };
    const times = { createdAt: at, changedAt: at };
    const pending = { ...ordered, ...untouched, ...times, state: 'pending', issued: null };
    expect(await store.cards.reserve(sampleOrder(1))).toEqual({ outcome: 'reserved', card: pending });
    const secondOrder = sampleOrder(2, { walletAddress: 'wallet-1', tier: 'Raven' });
    expect(await store.cards.reserve(secondOrder)).toEqual({ outcome: 'resume', card: pending });
    const settled = { ...pending, state: 'active', issued: sampleIssuedCard(1), changedAt: 2_000 };
    expect(await store.cards.activate('card-1', sampleIssuedCard(1), auditRecord('card.created'))).toEqual(
      settled,
    );
    expect(await store.cards.reserve(secondOrder)).toEqual({ outcome: 'has-card', card: settled });
    expect(await store.cards.cardOf('wallet-1')).toEqual(settled);
    expect(await store.cards.cardOf('wallet-2')).toBeNull();
    expect(await store.cards.issuedCard('stripe', 'ic_1')).toEqual(settled);
    expect(await store.cards.issuedCard('sandbox', 'ic_1')).toBeNull();
  });

  it('keep their pending state and idempotency key across a restart', async () => {
    await store.cards.reserve(sampleOrder(2));
    await store.cards.reserve(sampleOrder(1));
    await store.cards.reserve(sampleOrder(3, { issuer: 'sandbox' }));
    await addActiveCard(4);
    await reopenAppStore();
    const keys = (await store.cards.pendingCards('stripe')).map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual(['key-1', 'key-2']);
    const elsewhere = (await store.cards.cardsOfOtherIssuers('sandbox')).map(({ id }) => id);
    expect(elsewhere).toEqual(['card-1', 'card-2', 'card-4']);
  });

  it('never exceed the limit of an issuer: a failed card frees its place, a closed one keeps it', async () => {
    for (let number = 1; number <= MAX_CARDS; number += 1) await store.cards.reserve(sampleOrder(number));
    const extraOrder = sampleOrder(MAX_CARDS + 1);
    expect(await store.cards.cardsLeft('stripe')).toBe(0);
    expect(await store.cards.cardsLeft('sandbox')).toBe(MAX_CARDS);
    expect(await store.cards.reserve(extraOrder)).toEqual({ outcome: 'none-left' });
    await store.cards.activate('card-1', sampleIssuedCard(1), auditRecord('card.created'));
    await store.cards.change('card-1', 'closed', auditRecord('card.closed'));
    expect(await store.cards.reserve(extraOrder)).toEqual({ outcome: 'none-left' });
    expect(await store.cards.markFailed('card-2', auditRecord('card.refused'))).toBe(true);
    expect(await store.cards.cardsLeft('stripe')).toBe(1);
    expect(await store.cards.reserve(extraOrder)).toMatchObject({ outcome: 'reserved' });
    expect(await store.cards.reserve(sampleOrder(2, { id: 'new', idempotencyKey: 'new' }))).toEqual({
      outcome: 'none-left',
    });
  });

  it('are activated or declined once: a repeated call changes nothing, and a different card for the order is refused', async () => {
    await addActiveCard(1);
    const settled = await store.cards.cardOf('wallet-1');
    expect(await store.cards.activate('card-1', sampleIssuedCard(1), auditRecord('card.created', 5))).toEqual(
      settled,
    );
    await expect(
      store.cards.activate('card-1', sampleIssuedCard(2), auditRecord('card.created', 6)),
    ).rejects.toThrow(RangeError);
    await expect(
      store.cards.activate('nobody', sampleIssuedCard(2), auditRecord('card.created', 7)),
    ).rejects.toThrow(RangeError);
    expect(await store.cards.markFailed('card-1', auditRecord('card.refused'))).toBe(false);
    await store.cards.reserve(sampleOrder(2));
    await store.cards.markFailed('card-2', auditRecord('card.refused'));
    await expect(
      store.cards.activate('card-2', sampleIssuedCard(2), auditRecord('card.created', 8)),
    ).rejects.toThrow(RangeError);
    expect(await store.cards.cardOf('wallet-1')).toEqual(settled);
    expect(await store.cards.cardOf('wallet-2')).toBeNull();
    expect(await actions()).toEqual(['card.created', 'card.refused']);
  });

  it('freeze, unfreeze and close, with an audit record for each change of state', async () => {
    await addActiveCard(1);
    const changeState = async (to: 'active' | 'frozen' | 'closed', at: number) =>
      (await store.cards.change('card-1', to, auditRecord(`to.${to}`, at)))?.state ?? null;
    expect(await changeState('frozen', 3_000)).toBe('frozen');
    expect(await changeState('frozen', 3_001)).toBe('frozen');
    expect((await store.cards.cardOf('wallet-1'))?.changedAt).toBe(3_000);
    expect(await changeState('active', 3_002)).toBe('active');
    expect(await changeState('closed', 3_003)).toBe('closed');
    expect(await changeState('active', 3_004)).toBeNull();
    expect(await store.cards.cardOf('wallet-1')).toBeNull();
    expect((await store.cards.card('card-1'))?.state).toBe('closed');
    expect(await store.cards.card('card-9')).toBeNull();
    expect(await actions()).toEqual(['card.created', 'to.frozen', 'to.active', 'to.closed']);
    await store.cards.reserve(sampleOrder(2));
    expect(await store.cards.change('card-2', 'frozen', auditRecord('to.frozen', 9))).toBeNull();
  });

  it('do not change if the audit record cannot be added', async () => {
    await addActiveCard(1);
    const conflictingAudit = { ...auditRecord('card.created', 1), details: { cardId: 'another' } };
    await expect(store.cards.change('card-1', 'frozen', conflictingAudit)).rejects.toThrow(RangeError);
    expect((await store.cards.cardOf('wallet-1'))?.state).toBe('active');
  });

  it('lose the cardholder data only when they are refused or closed', async () => {
    for (const number of [1, 2]) await store.cards.reserve(sampleOrder(number, { cardholder: 'sealed' }));
    await store.cards.markFailed('card-2', auditRecord('card.refused'));
    await store.cards.activate('card-1', sampleIssuedCard(1), auditRecord('card.created'));
    expect(await store.cards.change('card-1', 'frozen', auditRecord('frozen'))).toMatchObject({
      cardholder: 'sealed',
    });
    await store.cards.change('card-1', 'closed', auditRecord('card.closed'));
    for (const [id, state] of [
      ['card-1', 'closed'],
      ['card-2', 'failed'],
    ] as const)
      expect(await store.cards.card(id)).toMatchObject({ state, cardholder: null });
  });

  it('cannot share a stake entry, which is free again once its card is closed', async () => {
    await addActiveCard(1);
    await addActiveCard(2);
    const sharingOrder = sampleOrder(3, { stakeEntries: ['entry-3', 'entry-1'] });
    expect(await store.cards.reserve(sharingOrder)).toEqual({ outcome: 'stake-in-use' });
    expect(await store.cards.claimStake('card-2', ['entry-1'])).toBe(false);
    expect(await store.cards.claimStake('card-2', ['entry-3'])).toBe(true);
    expect(await store.cards.card('card-2')).toMatchObject({ stakeEntries: ['entry-3'] });
    await store.cards.change('card-1', 'closed', auditRecord('card.closed'));
    expect(await store.cards.claimStake('card-2', ['entry-1'])).toBe(true);
  });

  it('no longer count toward the limit once they are closed because their stake is gone', async () => {
    await addActiveCard(1);
    const gone = await store.cards.change('card-1', 'stake-gone', auditRecord('gone', 3_000));
    expect(gone).toMatchObject({ state: 'frozen', stakeGoneAt: 3_000 });
    const repeated = await store.cards.change('card-1', 'stake-gone', auditRecord('gone', 4_000));
    expect(repeated).toEqual(gone);
    expect(await store.cards.cardsLeft('stripe')).toBe(MAX_CARDS - 1);
    await store.cards.change('card-1', 'closed', auditRecord('card.closed', 5_000));
    expect(await store.cards.cardsLeft('stripe')).toBe(MAX_CARDS);
    expect(await store.cards.lastClosed('wallet-1')).toMatchObject({ id: 'card-1', changedAt: 5_000 });
    expect(await store.cards.usableCards('stripe')).toEqual([]);
  });

  it('store each team decision with its reason, and get a later change time from it', async () => {
    await addActiveCard(1);
    const at = 2_000;
    const freezeDecision = { decision: 'frozen', reason: 'Stolen.' } as const;
    const frozen = await store.cards.decide('card-1', freezeDecision, auditRecord('frozen', at));
    expect(frozen).toMatchObject({ state: 'frozen', frozenByTeamAt: at });
    expect(await store.cards.change('card-1', 'active', auditRecord('unfrozen', at))).toEqual(frozen);
    const liftDecision = { decision: 'freeze-lifted', reason: null } as const;
    const afterLift = await store.cards.decide('card-1', liftDecision, auditRecord('lifted', at));
    expect(afterLift).toMatchObject({ state: 'frozen', frozenByTeamAt: null });
    expect(afterLift?.changedAt).toBeGreaterThan(frozen?.changedAt ?? Infinity);
    const by = 'wallet-owner';
    expect(await store.cards.decisionsOn('card-1')).toEqual([
      { ...freezeDecision, at, by },
      { ...liftDecision, at, by },
    ]);
    await store.cards.change('card-1', 'closed', auditRecord('card.closed'));
    expect(await store.cards.decide('card-1', freezeDecision, auditRecord('frozen', 9))).toBeNull();
    expect(await store.cards.decisionsOn('card-1')).toHaveLength(2);
  });

  it('count a closing request only if it is recent, not withdrawn, and by an admin who may decide', async () => {
    await addActiveCard(1);
    await addReviewers(store, 'ada', 'bo');
    const decide = (actor: string, decision: CardDecision, at: number) =>
      store.cards.decide('card-1', { decision, reason: null }, { ...auditRecord(decision, at), actor });
    const request = (countsFrom = 0) => store.cards.closingRequest('card-1', countsFrom);
    expect(await request()).toBeNull();
    await decide('ada', 'closing-requested', 3_000);
    await decide('bo', 'frozen', 3_001);
    expect(await request(3_000)).toEqual({ adminId: 'ada', by: 'ada', at: 3_000 });
    expect(await request(3_001)).toBeNull();
    await decide('ada', 'closing-withdrawn', 3_002);
    expect(await request()).toBeNull();
    await decide('ada', 'closing-requested', 3_003);
    await store.admins.changeRole('ada', 'viewer', adminAudit('admin.changed'));
    expect(await request()).toBeNull();
    await decide('bo', 'closing-requested', 3_004);
    expect(await request()).toMatchObject({ by: 'bo' });
    await store.admins.disable('bo', adminAudit('admin.disabled'));
    expect(await request()).toBeNull();
  });

  describe('report to the proven owner who applied', () => {
    /** Claims the due emails and checks that they all go to the owner who applied. @returns the events that they report */
    async function claimReportedEvents(now = 9_000): Promise<readonly string[]> {
      const due = { channel: 'mail', now, leasedUntil: now + 900, limit: 9 } as const;
      const mails = await store.deliveries.claimDue(due);
      expect(mails.map(({ audience, recipient }) => `${audience} ${recipient}`)).toEqual(
        mails.map(() => 'applicant ada@example.com'),
      );
      return mails.map(({ event }) => event.replace('card-application.', ''));
    }

    let provenReference: string;
    beforeEach(async () => {
      const send = (email: string, isOwnershipProven: boolean) =>
        submitApplication(store, { email, walletAddress: 'wallet-1', isOwnershipProven });
      provenReference = await send('ada@example.com', true);
      await send('thief@example.com', false);
      await addActiveCard(1);
    });

    it('each card that is issued, once', async () => {
      await store.cards.activate('card-1', sampleIssuedCard(1), auditRecord('card.created', 3_000));
      await store.cards.change('card-1', 'stake-gone', auditRecord('gone', 4_000));
      await store.cards.change('card-1', 'closed', auditRecord('closed', 4_000 + LOST_STAKE_MS));
      await store.cards.reserve(sampleOrder(2, { walletAddress: 'wallet-1' }));
      await store.cards.activate('card-2', sampleIssuedCard(2), auditRecord('card.created', 5_000));
      expect(await claimReportedEvents()).toEqual(['card-issued', 'card-frozen', 'card-issued:2']);
    });

    it('a card that is issued although the team refused the application', async () => {
      const refusal = { decision: 'refused', reason: 'Not enough.' } as const;
      const state = { referenceNumber: provenReference, changedAt: SUBMITTED_AT };
      await store.records.decideApplication(
        { ...state, ...refusal },
        { adminId: 'ada', address: IP_ADDRESS, at: SUBMITTED_AT },
      );
      expect(await claimReportedEvents()).toEqual(['card-issued']);
    });

    it('each loss of the stake', async () => {
      for (const at of [3_000, 4_000]) {
        await store.cards.change('card-1', 'stake-gone', auditRecord('gone', at));
        await store.cards.change('card-1', 'stake-gone', auditRecord('gone again', at));
        await store.cards.change('card-1', 'active', auditRecord('back', at));
      }
      expect(await claimReportedEvents()).toEqual(['card-issued', 'card-frozen', 'card-frozen:2']);
    });

    it('a freeze by the issuer, but not the issuer’s report of a freeze by the portal', async () => {
      const report = (id: string, isByIssuer: boolean, at: number) =>
        store.cards.applyIssuerMessage(
          { issuer: 'stripe', id, kind: 'issuing_card.updated', receivedAt: at },
          { cardId: 'card-1', state: 'frozen', isByIssuer, audit: auditRecord(id, at) },
        );
      await report('by the portal', false, 3_000);
      await store.cards.change('card-1', 'active', auditRecord('back', 3_001));
      await report('by the issuer', true, 3_002);
      await report('again', true, 3_003);
      expect(await claimReportedEvents()).toEqual(['card-issued', 'card-frozen-by-issuer']);
    });

    it('a closure by the issuer, which is also reported to the team, but not one by the portal', async () => {
      const closeByIssuer = (id: string, at = 3_000) =>
        store.cards.applyIssuerMessage(
          { issuer: 'stripe', id, kind: 'issuing_card.updated', receivedAt: at },
          { cardId: id, state: 'closed', isByIssuer: true, audit: auditRecord(id, at) },
        );
      const toTeam = async (id: string) =>
        (await store.deliveries.deliveriesOf(id)).map(({ event }) => event);
      await closeByIssuer('card-1');
      expect(await toTeam('card-1')).toEqual(['card.closed-by-issuer']);
      const toHolder = (await store.deliveries.deliveriesOf(provenReference)).map(({ event }) => event);
      expect(toHolder.filter((event) => event.includes('closed'))).toEqual([
        'card-application.card-closed-by-issuer',
      ]);
      await addActiveCard(2);
      const decision = { decision: 'closed', reason: null } as const;
      await store.cards.decide('card-2', decision, auditRecord('closed by team', 2_999));
      await closeByIssuer('card-2');
      expect(await toTeam('card-2')).toEqual([]);
      for (const number of [3, 4, 5]) {
        await addActiveCard(number);
        await store.cards.change(`card-${number}`, 'stake-gone', auditRecord(`gone ${number}`, 3_000));
      }
      await store.cards.decide('card-5', { ...decision, decision: 'frozen' }, auditRecord('by team', 3_001));
      const closesAt = 3_000 + LOST_STAKE_MS;
      await closeByIssuer('card-3', closesAt - 1);
      await closeByIssuer('card-4', closesAt);
      await closeByIssuer('card-5', closesAt);
      expect(await Promise.all(['card-3', 'card-4', 'card-5'].map(toTeam))).toEqual([
        ['card.closed-by-issuer'],
        [],
        ['card.closed-by-issuer'],
      ]);
    });

    it('a closure by the holder, which is also reported to the team and frees a place', async () => {
      const closing = await store.cards.change('card-1', 'closing', auditRecord('closing', 3_000));
      expect(closing).toMatchObject({ state: 'active', closedByHolderAt: 3_000 });
      expect(await store.cards.change('card-1', 'closing', auditRecord('again', 3_001))).toEqual({
        ...closing,
        closedByHolderAt: 3_000,
      });
      expect(await store.cards.cardsLeft('stripe')).toBe(MAX_CARDS - 1);
      await store.cards.applyIssuerMessage(
        { issuer: 'stripe', id: 'evt', kind: 'issuing_card.updated', receivedAt: 3_002 },
        { cardId: 'card-1', state: 'closed', isByIssuer: true, audit: auditRecord('closed', 3_002) },
      );
      expect(await store.cards.change('card-1', 'closed', auditRecord('closed again', 3_003))).toMatchObject({
        state: 'closed',
      });
      expect(await store.cards.cardsLeft('stripe')).toBe(MAX_CARDS);
      expect((await store.deliveries.deliveriesOf('card-1')).map(({ event }) => event)).toEqual([
        'card.closed-by-holder',
      ]);
      const due = { channel: 'mail', now: 9_000, leasedUntil: 9_900, limit: 9 } as const;
      const toHolder = (await store.deliveries.claimDue(due)).filter(
        ({ audience }) => audience === 'applicant',
      );
      expect(toHolder.map(({ event }) => event)).toEqual([
        'card-application.card-issued',
        'card-application.card-closed',
      ]);
    });

    it('each payment once while notices are on, even with repeated messages and several programs', async () => {
      const spend = { id: 'iauth_1', at: 3_000, merchant: 'Café', amount: 1_250n, isDeclined: false };
      const message = { issuer: 'stripe', id: 'evt_1', kind: 'issuing_authorization.created' } as const;
      const apply = (id: string, spent = spend) =>
        store.cards.applyIssuerMessage({ ...message, id, receivedAt: 4_000 }, null, {
          cardId: 'card-1',
          spend: spent,
        });
      await apply('evt_off');
      await store.cards.setSpendNotices('card-1', 3_999, auditRecord('on', 3_999));
      // Issuers report times in whole seconds, so the notices start with payments at 3,000 ms and not at 3,999 ms. A payment
      // at 2,000 ms is too early.
      await apply('evt_before', { ...spend, id: 'iauth_0', at: 2_000 });
      await apply('evt_1');
      await apply('evt_1');
      await apply('evt_2');
      await Promise.all([1, 2, 3].map(() => store.cards.reportSpends('card-1', [spend], 5_000)));
      await store.cards.reportSpends('card-1', [{ ...spend, id: 'ipi_2', amount: -5n }], 5_001);
      expect(await store.cards.spend('stripe:iauth_1')).toEqual({
        ...spend,
        id: 'stripe:iauth_1',
        cardId: 'card-1',
      });
      expect(await store.cards.spend('stripe:iauth_0')).toBeNull();
      const application = { referenceNumber: provenReference, hasChat: false };
      expect(await store.cards.provenApplication('wallet-1')).toEqual(application);
      expect(await store.cards.provenApplication('wallet-2')).toBeNull();
      await store.cards.setSpendNotices('card-1', null, auditRecord('off', 6_000));
      await store.cards.reportSpends('card-1', [{ ...spend, id: 'ipi_3', at: 7_000 }], 7_000);
      const spends = ['card-spent:stripe:iauth_1', 'card-spent:stripe:ipi_2'];
      expect(await claimReportedEvents()).toEqual(['card-issued', ...spends]);
      expect((await actions()).filter((one) => one === 'on' || one === 'off')).toEqual(['on', 'off']);
    });

    it('no payment a second time after its row was deleted', async () => {
      const spend = { id: 'test_1', at: 3_000, merchant: 'Café', amount: 1_250n, isDeclined: false };
      await store.cards.setSpendNotices('card-1', 2_000, auditRecord('on', 2_000));
      await store.cards.reportSpends('card-1', [spend], 4_000);
      const at = 4_001 + SPEND_RETENTION_MS;
      await store.retention.deleteExpired(at - 1, 0);
      expect(await store.cards.spend('stripe:test_1')).not.toBeNull();
      expect(await store.retention.deleteExpired(at, 0)).toBe(1);
      await store.cards.reportSpends('card-1', [spend, { ...spend, id: 'test_2', at }], at);
      expect(await store.cards.spend('stripe:test_1')).toBeNull();
      const spends = ['card-spent:stripe:test_1', 'card-spent:stripe:test_2'];
      expect(await claimReportedEvents(at + 9)).toEqual(['card-issued', ...spends]);
    });

    it('each freeze by the team, and none of its other decisions', async () => {
      for (const [at, decision] of [
        [3_000, 'frozen'],
        [3_001, 'frozen'],
        [3_002, 'freeze-lifted'],
        [3_003, 'frozen'],
        [3_004, 'closed'],
      ] as const) {
        await store.cards.decide('card-1', { decision, reason: null }, auditRecord(decision, at));
      }
      expect(await claimReportedEvents()).toEqual([
        'card-issued',
        'card-frozen-by-team',
        'card-frozen-by-team:2',
      ]);
    });
  });

  it('have limits that can change while the card can be used, and count as sent once the issuer has them', async () => {
    await addActiveCard(1);
    const limits = { dailyLimitUsd: 10, monthlyLimitUsd: 20 };
    const setLimits = (changed: typeof limits, at: number) =>
      store.cards.setLimits('card-1', changed, auditRecord('limits', at));
    expect(await setLimits({ dailyLimitUsd: 5_000, monthlyLimitUsd: 5_000 }, 3_000)).toMatchObject({
      dailyLimitUsd: null,
      areLimitsSent: true,
    });
    const before = await store.cards.card('card-1');
    expect(await setLimits(limits, 3_001)).toEqual({ ...before, ...limits, areLimitsSent: false });
    await store.cards.confirmLimits('card-1', { ...limits, monthlyLimitUsd: 21 });
    expect(await setLimits(limits, 3_002)).toMatchObject({ areLimitsSent: false });
    await store.cards.confirmLimits('card-1', limits);
    expect(await setLimits(limits, 3_003)).toMatchObject({ ...limits, areLimitsSent: true });
    expect(await actions()).toEqual(['card.created', 'limits']);
    await store.cards.change('card-1', 'closed', auditRecord('card.closed'));
    expect(await setLimits({ ...limits, dailyLimitUsd: 1 }, 3_004)).toBeNull();
  });

  it('are refused to a wallet whose last card the team closed, until the team whitelists it', async () => {
    await addActiveCard(1);
    await store.cards.decide(
      'card-1',
      { decision: 'closed', reason: null },
      auditRecord('closed by team', 3_000),
    );
    await store.cards.change('card-1', 'closed', auditRecord('card.closed', 3_001));
    const laterOrder = sampleOrder(2, { walletAddress: 'wallet-1' });
    expect(await store.cards.reserve(laterOrder)).toEqual({ outcome: 'closed-by-team' });
    expect(await store.cards.reserve(sampleOrder(3))).toMatchObject({ outcome: 'reserved' });
    const referenceNumber = await submitRequest(store, { walletAddress: 'wallet-1' });
    const approval = { decision: 'approved', tier: 'Duckling', reason: null } as const;
    await store.records.decideRequest(
      { ...approval, referenceNumber, changedAt: SUBMITTED_AT },
      { adminId: 'ada', address: IP_ADDRESS, at: SUBMITTED_AT },
    );
    expect(await store.cards.reserve(laterOrder)).toMatchObject({ outcome: 'reserved' });
  });

  it('are refused to a wallet if its holder closed the last card after the team froze it', async () => {
    await addActiveCard(1);
    await store.cards.decide('card-1', { decision: 'frozen', reason: null }, auditRecord('frozen', 3_000));
    await store.cards.change('card-1', 'closing', auditRecord('closing', 3_001));
    await store.cards.change('card-1', 'closed', auditRecord('card.closed', 3_002));
    const laterOrder = sampleOrder(2, {
      walletAddress: 'wallet-1',
      at: 3_001 + PORTAL_LIMITS.newCardHours * 3_600_000,
    });
    expect(await store.cards.reserve(laterOrder)).toEqual({ outcome: 'closed-by-team' });
  });

  it('apply a message from the issuer once', async () => {
    await addActiveCard(1);
    const message = { issuer: 'stripe', id: 'evt_1', kind: 'issuing_card.updated', receivedAt: 5 } as const;
    const change = {
      cardId: 'card-1',
      state: 'frozen',
      isByIssuer: true,
      audit: auditRecord('card.frozen'),
    } as const;
    expect(await store.cards.applyIssuerMessage(message, change)).toBe(true);
    expect((await store.cards.cardOf('wallet-1'))?.state).toBe('frozen');
    await store.cards.change('card-1', 'active', auditRecord('card.unfrozen'));
    expect(await store.cards.applyIssuerMessage(message, change)).toBe(false);
    expect((await store.cards.cardOf('wallet-1'))?.state).toBe('active');
    expect(await store.cards.applyIssuerMessage({ ...message, id: 'evt_2' }, null)).toBe(true);
  });

  it('forget messages from the issuer after 30 days, not before', async () => {
    const days = (count: number) => count * 86_400_000;
    const receive = (id: string, receivedAt: number) =>
      store.cards.applyIssuerMessage(
        { issuer: 'stripe', id, kind: 'issuing_card.updated', receivedAt },
        null,
      );
    await receive('evt_old', 0);
    await receive('evt_young', days(2));
    expect(await receive('evt_old', days(30))).toBe(false);
    await receive('evt_new', days(31));
    expect(await receive('evt_young', days(31))).toBe(false);
    expect(await receive('evt_old', days(31))).toBe(true);
  });
});
