import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { explorerLink } from '../figure/explorer-link.ts';
import { Information } from './StakingInformation.tsx';
import { Tiles } from './StakingTiles.tsx';

const link = explorerLink('https://e.example', 'devnet');
const read = { asOf: new Date().toISOString(), slot: 1, source: 'solana', state: 'live' } as const;
const failed = { kind: 'failed', retry: () => {}, retrying: false } as const;

const tileWords = {
  stakers: 'Active Stakers',
  staked: 'BD Tokens Staked',
  lock: 'Lock Period',
  lockValue: { value: '180', unit: 'days' },
  rewards: 'Staking Rewards',
  rewardsValue: { value: '88.7%', unit: 'annual yield' },
  rewardsNote: 'Stated, set by the project.',
};
const tiles = (staking: Reading<FigureBodies['/api/staking/total']>) =>
  renderToString(<Tiles words={tileWords} link={link} staking={staking} />)
    .replaceAll('<!-- -->', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the tiles of the staking portal', () => {
  it('tell the stakers, and what is staked in millions and in full', () => {
    const page = tiles({
      kind: 'known',
      body: { balance: '20887580.31', stakerCount: 8, stakePool: 'p'.repeat(40), ...read },
    });
    expect(page).toContain('Active Stakers 8');
    expect(page).toContain('BD Tokens Staked 20.89M BD In full 20,887,580.31 BD');
  });

  it('tell the lock and the stated yield without any reading, and no figure that was not read', () => {
    for (const reading of [{ kind: 'loading' }, { kind: 'unknown' }, failed] as const) {
      const page = tiles(reading);
      expect(page).toContain('Lock Period 180 days');
      expect(page).toContain('Staking Rewards 88.7% annual yield Stated, set by the project.');
      expect(page).not.toMatch(/\d(\.\d+)?M|20,887/);
    }
    expect(tiles({ kind: 'unknown' })).toContain('Not read yet');
    expect(tiles(failed)).toContain('Could not be read · Retry');
  });
});

describe('the information panel', () => {
  const words = {
    lock: 'Lock period',
    lockValue: '180 days',
    verification: 'Blockchain verification',
    verificationText: 'Read from the chain.',
    vault: 'Vault address',
    program: 'Staking program address',
    token: 'Token contract address',
  };
  const [vaultAddress, programAddress, tokenAddress] = ['V', 'P', 'T'].map((sign) => sign.repeat(40));
  const vault: FigureBodies['/api/vault/live-balance'] = {
    vaultBalance: '1',
    balance: '1',
    solBalance: '0',
    vaultAddress: vaultAddress ?? '',
    ...read,
  };
  const program: FigureBodies['/api/staking/program-summary'] = {
    isActive: true,
    programAddress: programAddress ?? '',
    stakePool: 'S'.repeat(40),
    tokenAddress: tokenAddress ?? '',
    totalAccounts: 1,
    totalValue: '1',
    lastVerified: null,
    verification: { state: 'agree', slot: 9, at: read.asOf, differences: [] },
    quarantined: 0,
    alarms: [],
    ...read,
  };
  const panel = (shown: typeof link) =>
    renderToString(
      <Information
        words={words}
        link={shown}
        vault={{ kind: 'known', body: vault }}
        program={{ kind: 'known', body: program }}
      />,
    ).replaceAll('<!-- -->', '');

  it('shows each address in full, linked to the explorer, with a button that copies it', () => {
    const html = panel(link);
    for (const address of [vaultAddress, programAddress, tokenAddress]) {
      expect(html).toContain(`href="https://e.example/address/${address}?cluster=devnet"`);
      expect(html).toContain(`>${address}<`);
    }
    expect(html.match(/<button/g)).toHaveLength(3);
    expect(html).toContain('Accounts and history agree at slot 9');
  });

  it('links to no explorer that shows another chain, and still shows the address', () => {
    expect(panel(null)).not.toContain('href');
    expect(panel(null)).toContain(`>${vaultAddress}<`);
  });

  it('shows a dash for each address that could not be read', () => {
    const html = renderToString(<Information words={words} link={link} vault={failed} program={failed} />);
    expect(html.match(/>—</g)).toHaveLength(3);
    expect(html).not.toContain('https://e.example');
  });
});
