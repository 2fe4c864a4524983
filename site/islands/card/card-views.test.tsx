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
const knownPanel = (overrides: Parameters<typeof sampleEligibility>[0]) =>
  panel({ kind: 'known', body: sampleEligibility(overrides), retry: null });

describe('the eligibility panel', () => {
  it('is busy during the check, and shows no result', () => {
    expect(panel({ kind: 'checking' })).toContain('aria-busy="true"');
    expect(panel({ kind: 'checking' })).not.toContain('Eligible');
  });

  it('shows holdings, their value, the status and the tier', () => {
    const html = knownPanel({});
    for (const text of ['5,000,000.00 BD', 'staked', '$568.50', '>Eligible<', '>Banker<'])
      expect(html).toContain(text);
  });

  it('shows the missing amount, and that BD in the wallet is not staked', () => {
    const unstakedHolding = { detectionMethod: 'token_account_analysis', bdBalanceText: '2000000' } as const;
    const html = knownPanel({ eligible: false, tier: 'None', missing: '1500000', ...unstakedHolding });
    for (const text of ['in the wallet, not staked', 'Not Eligible', '>None<', '1,500,000 more BD'])
      expect(html).toContain(text);
  });

  it('says that the team whitelisted a wallet whose stake is too low for its tier', () => {
    expect(knownPanel({})).not.toContain('data-whitelisted');
    expect(knownPanel({ bdBalanceText: '4999999.999999' })).toContain('data-whitelisted');
    const unstakedHolding = { detectionMethod: 'token_account_analysis', bdBalanceText: '9000000' } as const;
    expect(knownPanel({ ...unstakedHolding, tier: 'Raven' })).toContain('data-whitelisted');
    expect(knownPanel({ eligible: false, tier: 'None', bdBalanceText: '0' })).not.toContain(
      'data-whitelisted',
    );
  });

  it('does not round an amount up to the next tier', () => {
    const html = knownPanel({ eligible: false, bdBalanceText: '1499999.999999', missing: '0.000001' });
    expect(html).toContain('1,499,999.99 BD');
    expect(html).toContain('0.000001 more BD');
  });

  it('shows a dash without a price, and marks a demo price', () => {
    expect(knownPanel({ usdValue: null, price: null })).toContain('>—<');
    const price = { usd: '1', asOf: new Date().toISOString(), source: 'demo' };
    expect(knownPanel({ price })).toContain('demo price');
  });

  it.each([
    [0, 'live'],
    [2, 'live'],
    [2.1, 'ageing'],
    [3.1, 'stale'],
  ])('is updated every minute: %d minutes after the last update, its state is %s', (intervals, state) => {
    const asOf = new Date($now.get() - intervals * ELIGIBILITY_INTERVAL_MS).toISOString();
    // A later read of the chain must not make this result look newer.
    $lastReads.set({ chain: $now.get(), market: null });
    const html = knownPanel({ asOf });
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

const fundingTexts = {
  title: 'USDT funding address',
  warning: 'Other tokens are lost.',
  fee: 'Each top-up costs 4.5%.',
  automatic: 'Credited by itself.',
  manual: 'Booked by hand.',
  closed: 'Funding is not open yet.',
  test: 'Send nothing to this address.',
};
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const OPEN_FUNDING = {
  isOpen: true,
  address: ADDRESS,
  token: 'USDT',
  network: 'ERC-20',
  isTestCard: false,
  isCreditedAutomatically: true,
} as const;
const fundingHtml = (body: Partial<Funding>) =>
  renderToStaticMarkup(
    <FundingPanel texts={fundingTexts} reading={{ kind: 'known', body: { ...OPEN_FUNDING, ...body } }} />,
  );

describe('the funding panel', () => {
  it('shows the address with a warning and the fee', () => {
    const html = fundingHtml({});
    for (const text of [ADDRESS, fundingTexts.warning, fundingTexts.fee, 'Copy'])
      expect(html).toContain(text);
    expect(html).not.toContain(fundingTexts.test);
  });

  it('hides the address while funding is not open', () => {
    for (const html of [fundingHtml({ isOpen: false }), fundingHtml({ isOpen: false, address: null })]) {
      expect(html).toContain(fundingTexts.closed);
      expect(html).not.toContain(ADDRESS);
      expect(html).not.toContain('Copy');
    }
  });

  it('says whether transfers are credited automatically', () => {
    expect(fundingHtml({})).toContain(fundingTexts.automatic);
    expect(fundingHtml({ isCreditedAutomatically: false })).toContain(fundingTexts.manual);
    expect(fundingHtml({ isCreditedAutomatically: false })).not.toContain(fundingTexts.automatic);
  });

  it('warns if the card is a test card', () => {
    expect(fundingHtml({ isTestCard: true })).toContain(fundingTexts.test);
  });

  it('has a QR code 200 pixels wide with a margin of two modules', () => {
    const html = renderToStaticMarkup(<QrCode text={ADDRESS} label="QR code of the USDT funding address" />);
    expect(html).toContain('width="200" height="200"');
    const { size, path } = qrPath(ADDRESS);
    const { data } = encode(ADDRESS, { ecc: 'M', border: 2 });
    const darkModules = [...path.matchAll(/M(\d+) (\d+)/g)].map(
      ([, x, y]) => [Number(x), Number(y)] as const,
    );
    expect(darkModules.every(([x = 0, y = 0]) => Math.min(x, y) >= 2 && Math.max(x, y) < size - 2)).toBe(
      true,
    );
    expect(darkModules).toContainEqual([2, 2]);
    expect(darkModules).toHaveLength(data.flat().filter(Boolean).length);
  });
});

describe('the table of limits', () => {
  const texts = { otherTiers: 'Contact Support', newCard: 'Monthly limit on a new card' };
  const limitsHtml = (tier: 'Raven' | 'None' | null) =>
    renderToStaticMarkup(<LimitsTable texts={texts} tier={tier} />);

  it('shows the amounts for each tier, and refers to support for other tiers', () => {
    for (const text of ['$2,000', '$60,000', '$150,000', '$100,000', '$3,000,000', 'Contact Support'])
      expect(limitsHtml(null)).toContain(text);
    expect(limitsHtml(null)).not.toContain('aria-current');
  });

  it('marks only the tier of the connected wallet', () => {
    expect(limitsHtml('Raven')).toMatch(/<tr aria-current="true"><th scope="row">Raven<span[^>]*>\w/);
    expect(limitsHtml('Raven').match(/aria-current/g)).toHaveLength(1);
    expect(limitsHtml('None')).not.toContain('aria-current');
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
const usageHtml = (overrides: Partial<Usage>, badge: string | null = null) =>
  renderToStaticMarkup(
    <LiveRoot>
      <UsageView usage={{ ...usage, ...overrides }} testBadge={badge} retry={null} />
    </LiveRoot>,
  );

describe('the card usage view', () => {
  it('shows usage against its limits', () => {
    for (const text of ['$500.00', 'of $2,000.00', '$2,000.50', 'of $60,000.00', '−$12.50', 'value="25"'])
      expect(usageHtml({})).toContain(text);
  });

  it('marks an incomplete list and a test card', () => {
    expect(usageHtml({})).toContain('data-usage="complete"');
    expect(usageHtml({ isComplete: false })).toContain('data-usage="incomplete"');
    expect(usageHtml({}, 'TEST CARD')).toContain('TEST CARD');
  });

  it('exports exact amounts, with refunds as negative amounts', () => {
    const cells = ['=Pond, Books', null, '-12.50', '2026-11-21T09:00:00.000Z', 'settled', 'p1'];
    expect(USAGE_SPEC.csv.cells(PAYMENT)).toEqual(cells);
  });

  it('shows between 0 and 100 percent of a limit as used', () => {
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
