import { describe, expect, it } from 'vitest';
import type { StakingTotal } from '../../../data/contract/metrics.ts';
import type { Reading } from '../../data/figure-query.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { FAILED, knownReading, SAMPLE_ADDRESS, sampleBodies, sampleProgram } from '../testing/samples.ts';
import { explorerLink } from '../ui/explorer-link.ts';
import { comparisonTexts } from './Comparison.tsx';
import { StakingInformationView } from './StakingInformation.tsx';
import { Tiles } from './StakingTiles.tsx';

const at = '2026-11-21T14:05:59.000Z';

describe('the comparison of accounts and history', () => {
  const textsFor = (state: 'agree' | 'differs' | 'overdue' | 'not-yet') =>
    comparisonTexts({
      state,
      slot: state === 'not-yet' ? null : 1_234,
      at: state === 'not-yet' ? null : at,
      differences: state === 'differs' ? [{ what: 'vault.balance', onChain: '5', indexed: '4' }] : [],
    });

  it('has a text and a tone for each state', () => {
    expect(textsFor('agree')).toMatchObject({ tone: 'good', text: expect.stringContaining('slot 1,234') });
    expect(textsFor('overdue').tone).toBe('warning');
    expect(textsFor('not-yet').tone).toBe('none');
    expect(textsFor('differs').tone).toBe('bad');
    const texts = (['agree', 'differs', 'overdue', 'not-yet'] as const).map((state) => textsFor(state).text);
    expect(new Set(texts).size).toBe(4);
  });
});

const link = explorerLink('https://e.example', 'devnet');

const tileTexts = {
  stakers: 'Active Stakers',
  staked: 'BD Tokens Staked',
  lock: 'Lock Period',
  lockValue: { value: '180', unit: 'days' },
  rewards: 'Staking Rewards',
  rewardsValue: { value: '88.7%', unit: 'annual yield' },
  rewardsNote: 'Stated, set by the project.',
};
const tilesText = (staking: Reading<StakingTotal>) =>
  textOf(<Tiles texts={tileTexts} link={link} staking={staking} />);

describe('the tiles of the staking portal', () => {
  it('show the stakers, and the stake in millions and in full', () => {
    const page = tilesText(knownReading(sampleBodies(0, { staked: '20887580.31' })['/api/staking/total']));
    expect(page).toContain('Active Stakers 8');
    expect(page).toContain('BD Tokens Staked 20.89M BD In full 20,887,580.31 BD');
  });

  it.each<Reading<StakingTotal>>([{ kind: 'loading' }, { kind: 'unknown' }, FAILED])(
    'show only the lock and the stated yield if the reading is $kind',
    (reading) => {
      const page = tilesText(reading);
      expect(page).toContain('Lock Period 180 days');
      expect(page).toContain('Staking Rewards 88.7% annual yield Stated, set by the project.');
      expect(page).not.toMatch(/\d(\.\d+)?M|20,887/);
    },
  );
});

describe('the information panel', () => {
  const texts = {
    lock: 'Lock period',
    lockValue: '180 days',
    verification: 'Blockchain verification',
    verificationText: 'Read from the chain.',
    vault: 'Vault address',
    program: 'Staking program address',
    token: 'Token contract address',
  };
  const vault = knownReading(sampleBodies(0)['/api/vault/live-balance']);
  const program = knownReading(sampleProgram());
  const panelHtml = (addressLink: typeof link) =>
    htmlOf(<StakingInformationView texts={texts} link={addressLink} vault={vault} program={program} />);

  it('shows each address in full, linked to the explorer, with a copy button', () => {
    const html = panelHtml(link);
    for (const address of [SAMPLE_ADDRESS, program.body.programAddress, program.body.tokenAddress]) {
      expect(html).toContain(`href="https://e.example/address/${address}?cluster=devnet"`);
      expect(html).toContain(`>${address}<`);
    }
    expect(html.match(/<button/g)).toHaveLength(3);
    expect(html).toContain('data-tone="good"');
  });

  it('shows the address without a link if no explorer supports the cluster', () => {
    expect(panelHtml(explorerLink('https://e.example', null))).not.toContain('href');
    expect(panelHtml(null)).toContain(`>${SAMPLE_ADDRESS}<`);
  });

  it('shows a dash for each unknown address', () => {
    const html = htmlOf(<StakingInformationView texts={texts} link={link} vault={FAILED} program={FAILED} />);
    expect(html.match(/>—</g)).toHaveLength(3);
    expect(html).not.toContain('https://e.example');
  });
});
