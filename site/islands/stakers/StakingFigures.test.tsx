import { describe, expect, it } from 'vitest';
import { textOf } from '../testing/render.ts';
import { chainRead, FAILED, known, sampleBodies } from '../testing/samples.ts';
import { FigureRow } from './StakingFigures.tsx';

const uncounted = { walletsHolding: null, stakingParticipation: null, holdersCounted: null };
const staking = known({ totalStakers: 3, totalStaked: '5', ...uncounted, ...chainRead() });
const unknown = { kind: 'unknown' } as const;

const text = (props: Partial<Parameters<typeof FigureRow>[0]>) =>
  textOf(<FigureRow staking={staking} overview={unknown} stakers={known([])} vault={unknown} {...props} />);
const authenticated = (props: Parameters<typeof text>[0]) => text(props).split('Authenticated Stakers')[1];

it('the deployed total shows the vault balance if it is known', () => {
  const totals = { totalDeployed: '15', reducedSupply: '5', stakingRatioPercent: '1' };
  const overview = known({ totalStakers: 3, overview: totals, ...chainRead() });
  const vault = known(sampleBodies(0, { vault: '9999999' })['/api/vault/live-balance']);
  expect(text({ overview, vault })).toContain('10.00M vault + stake pool');
  expect(text({ overview })).toContain('Vault + stake pool');
});

describe('the number of authenticated stakers', () => {
  it('has the age of the stakes', () => {
    expect(authenticated({})).toMatch(/^ 0 .* Live/);
  });

  it.each([{ staking: FAILED }, { staking: unknown }, { stakers: FAILED }, { stakers: unknown }])(
    'is a dash if the stakes or the list are not known: %j',
    (props) => {
      expect(authenticated(props)).toMatch(/^ — Not available /);
    },
  );
});
