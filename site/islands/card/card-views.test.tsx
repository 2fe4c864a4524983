import { renderToStaticMarkup } from 'react-dom/server';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { createCard } from '../../../data/contract/cards.ts';
import type { Funding, Usage } from '../../data/card-calls.ts';
import { $lastReads } from '../../data/source-freshness.ts';
import { $now } from '../../data/ticking-clock.ts';
import { sampleEligibility } from '../testing/samples.ts';
import { LiveRoot } from '../ui/Live.tsx';
import QrCode, { qrPath } from '../ui/QrCode.tsx';
import { FundingPanel } from './CardFunding.tsx';
import { LimitsTable } from './CardLimits.tsx';
import { EligibilityPanel } from './Eligibility.tsx';
import { holderNameError } from './GenerateCardForm.tsx';
import UsageView, { percentOfLimit, USAGE_SPEC } from './UsageView.tsx';
import { ELIGIBILITY_INTERVAL_MS } from './use-eligibility.ts';

const retry = { run: () => {}, running: false };
type PanelProps = Parameters<typeof EligibilityPanel>[0];
const panel = (reading: PanelProps['reading']) =>
  renderToStaticMarkup(<EligibilityPanel reading={reading} />);
const known = (overrides: Parameters<typeof sampleEligibility>[0]) =>
  panel({ kind: 'known', body: sampleEligibility(overrides), retry: null });

describe('the eligibility panel', () => {
  it('shows no eligibility while it checks', () => {
    expect(panel({ kind: 'checking' })).toContain('aria-busy="true"');
    expect(panel({ kind: 'checking' })).not.toContain('Eligible');
  });

  it('shows holdings, their value, the status and the tier', () => {
    const html = known({});
    for (const shown of ['5,000,000.00 BD', 'staked', '$568.50', '>Eligible<', '>Banker<'])
      expect(html).toContain(shown);
  });

  it('shows the missing amount, and that BD in the wallet is not staked', () => {
    const method = { detectionMethod: 'token_account_analysis', bdBalanceText: '2000000' } as const;
    const html = known({ eligible: false, tier: 'None', missing: '1500000', ...method });
    for (const shown of ['in the wallet, not staked', 'Not Eligible', '>None<', '1,500,000.00 more BD'])
      expect(html).toContain(shown);
  });

  it('says that the team whitelisted a wallet whose stake is too low for its tier', () => {
    expect(known({})).not.toContain('data-whitelisted');
    expect(known({ bdBalanceText: '4999999.999999' })).toContain('data-whitelisted');
    const held = { detectionMethod: 'token_account_analysis', bdBalanceText: '9000000' } as const;
    expect(known({ ...held, tier: 'Raven' })).toContain('data-whitelisted');
    expect(known({ eligible: false, tier: 'None', bdBalanceText: '0' })).not.toContain('data-whitelisted');
  });

  it('does not round an amount up to the next tier', () => {
    const html = known({ eligible: false, bdBalanceText: '1499999.999999', missing: '0.000001' });
    expect(html).toContain('1,499,999.99 BD');
  });

  it('shows a dash without a price, and marks a demo price', () => {
    expect(known({ usdValue: null, price: null })).toContain('>—<');
    const price = { usd: '1', asOf: new Date().toISOString(), source: 'demo' };
    expect(known({ price })).toContain('demo price');
  });

  it.each([
    [0, 'live'],
    [2, 'live'],
    [2.1, 'ageing'],
    [3.1, 'stale'],
  ])('is read every minute: if its last read is %d minutes ago, its age is %s', (intervals, state) => {
    const asOf = new Date($now.get() - intervals * ELIGIBILITY_INTERVAL_MS).toISOString();
    // A later read of the chain must not make this result count as newer.
    $lastReads.set({ chain: $now.get(), market: null });
    const html = known({ asOf });
    $lastReads.set({ chain: null, market: null });
    expect(html).toContain(`data-state="${state}"`);
  });

  it('shows the error and a retry', () => {
    const html = panel({ kind: 'failed', text: 'The chain cannot be read.', retry });
    expect(html).toContain('The chain cannot be read.');
    expect(html).toMatch(/<button[^>]*>Retry/);
    expect(html).not.toContain('Eligible');
  });
});

const funding = {
  title: 'USDT funding address',
  warning: 'Other tokens are lost.',
  fee: 'Each top-up costs 4.5%.',
  automatic: 'Credited by itself.',
  manual: 'Booked by hand.',
  closed: 'Funding is not open yet.',
  test: 'Send nothing to this address.',
};
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const OPEN = {
  isOpen: true,
  address: ADDRESS,
  token: 'USDT',
  network: 'ERC-20',
  isTestCard: false,
  isCreditedAutomatically: true,
} as const;
const load = (body: Partial<Funding>) =>
  renderToStaticMarkup(
    <FundingPanel texts={funding} reading={{ kind: 'known', body: { ...OPEN, ...body } }} />,
  );

describe('the funding address', () => {
  it('has its warning and its fee', () => {
    const html = load({});
    for (const shown of [ADDRESS, funding.warning, funding.fee, 'Copy']) expect(html).toContain(shown);
    expect(html).not.toContain(funding.test);
  });

  it('is hidden while funding is not open', () => {
    for (const html of [load({ isOpen: false }), load({ isOpen: false, address: null })]) {
      expect(html).toContain(funding.closed);
      expect(html).not.toContain(ADDRESS);
      expect(html).not.toContain('Copy');
    }
  });

  it('says whether transfers are credited automatically', () => {
    expect(load({})).toContain(funding.automatic);
    expect(load({ isCreditedAutomatically: false })).toContain(funding.manual);
    expect(load({ isCreditedAutomatically: false })).not.toContain(funding.automatic);
  });

  it('warns on test cards', () => {
    expect(load({ isTestCard: true })).toContain(funding.test);
  });

  it('is a QR code of 200 pixels with a margin of two modules', () => {
    const html = renderToStaticMarkup(<QrCode text={ADDRESS} label="QR code of the USDT funding address" />);
    expect(html).toContain('width="200" height="200"');
    const { size, path } = qrPath(ADDRESS);
    const { data } = encode(ADDRESS, { ecc: 'M', border: 2 });
    const dark = [...path.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
    expect(dark.every(([x = 0, y = 0]) => Math.min(x, y) >= 2 && Math.max(x, y) < size - 2)).toBe(true);
    expect(dark).toContainEqual([2, 2]);
    expect(dark).toHaveLength(data.flat().filter(Boolean).length);
  });
});

describe('the limits', () => {
  const texts = { otherTiers: 'Contact Support', newCard: 'Monthly limit on a new card' };
  const limits = (tier: 'Raven' | 'None' | null) =>
    renderToStaticMarkup(<LimitsTable texts={texts} tier={tier} />);

  it('name every tier, and support for other tiers', () => {
    for (const shown of ['$2,000', '$60,000', '$150,000', '$100,000', '$3,000,000', 'Contact Support'])
      expect(limits(null)).toContain(shown);
    expect(limits(null)).not.toContain('aria-current');
  });

  it('mark only the tier of the connected wallet', () => {
    expect(limits('Raven')).toMatch(/<tr aria-current="true"><th scope="row">Raven<span[^>]*>\w/);
    expect(limits('Raven').match(/aria-current/g)).toHaveLength(1);
    expect(limits('None')).not.toContain('aria-current');
  });
});

const PAYMENT = {
  id: 'p1',
  at: '2026-11-21T09:00:00.000Z',
  merchant: '=Pond, Books',
  category: null,
  amount: '-12.50',
  state: 'settled',
} as const;
const usage: Usage = {
  cardId: 'card-1',
  asOf: '2026-11-21T10:00:00.000Z',
  spentToday: '500',
  spentThisMonth: '2000.5',
  dailyLimit: '2000',
  monthlyLimit: '60000',
  transactions: [PAYMENT],
  isComplete: true,
};
const used = (overrides: Partial<Usage>, badge: string | null = null) =>
  renderToStaticMarkup(
    <LiveRoot>
      <UsageView usage={{ ...usage, ...overrides }} testBadge={badge} retry={null} />
    </LiveRoot>,
  );

describe('card usage', () => {
  it('is shown against its limits', () => {
    for (const shown of ['$500.00', 'of $2,000.00', '$2,000.50', 'of $60,000.00', '−$12.50', 'value="25"'])
      expect(used({})).toContain(shown);
  });

  it('marks an incomplete list and a test card', () => {
    expect(used({})).toContain('data-usage="complete"');
    expect(used({ isComplete: false })).toContain('data-usage="incomplete"');
    expect(used({}, 'TEST CARD')).toContain('TEST CARD');
  });

  it('exports exact amounts, refunds as negative', () => {
    const cells = ['=Pond, Books', null, '-12.50', '2026-11-21T09:00:00.000Z', 'settled', 'p1'];
    expect(USAGE_SPEC.csv.cells(PAYMENT)).toEqual(cells);
  });

  it('uses between 0 and 100 percent of a limit', () => {
    expect(['-5', '33.33', '250'].map((spent) => percentOfLimit(spent, '100'))).toEqual([0, 33.3, 100]);
    expect(percentOfLimit('1', '0')).toBe(0);
  });
});

describe('a cardholder name', () => {
  const holderName = createCard.body.shape.holderName;
  it.each([
    ['', false],
    ['A', false],
    ['Jo', true],
    ['Ada Lovelace-Byron', true],
    ['Ünal Ó’Néill Jr.', true],
    ['  Jo  ', true],
    ['A'.repeat(24), true],
    ['A'.repeat(25), false],
    ['R2 D2', false],
    ['<b>', false],
  ])('%j is valid on the page and on the server: %s', (name, isAccepted) => {
    expect(holderNameError(name) === null).toBe(isAccepted);
    expect(holderName.safeParse(name).success).toBe(isAccepted);
  });
});
