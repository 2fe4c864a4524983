import { describe, expect, it } from 'vitest';
import { $now } from '../../data/ticking-clock.ts';
import { textOf } from '../testing/render.ts';
import { chainReadFields, FAILED, knownReading, sampleBodies } from '../testing/samples.ts';
import { FigureRow } from './StakingFigures.tsx';

const nullCounts = { walletsHolding: null, stakingParticipation: null, holdersCounted: null };
// The page's clock is frozen in this test. If this file loads slowly, `Date.now()` is far ahead of that clock.
const readFields = { ...chainReadFields(), asOf: new Date($now.get()).toISOString() };
const staking = knownReading({ totalStakers: 3, totalStaked: '5', ...nullCounts, ...readFields });
const unknown = { kind: 'unknown' } as const;

const rowText = (props: Partial<Parameters<typeof FigureRow>[0]>) =>
  textOf(
    <FigureRow staking={staking} overview={unknown} stakers={knownReading([])} vault={unknown} {...props} />,
  );
const authenticatedText = (props: Parameters<typeof rowText>[0]) =>
  rowText(props).split('Authenticated Stakers')[1];

it('the deployed total shows the vault balance if it is known', () => {
  const totals = { totalDeployed: '15', reducedSupply: '5', stakingRatioPercent: '1' };
  const overview = knownReading({ totalStakers: 3, overview: totals, ...chainReadFields() });
  const vault = knownReading(sampleBodies(0, { vault: '9999999' })['/api/vault/live-balance']);
  expect(rowText({ overview, vault })).toContain('10.00M vault + stake pool');
  expect(rowText({ overview })).toContain('Vault + stake pool');
});

describe('the number of authenticated stakers', () => {
  it('is live while the stakes are live', () => {
    expect(authenticatedText({})).toMatch(/^ 0 .* Live/);
  });

  it.each([{ staking: FAILED }, { staking: unknown }, { stakers: FAILED }, { stakers: unknown }])(
    'is a dash if the stakes or the list of stakers is not known: %j',
    (props) => {
      expect(authenticatedText(props)).toMatch(/^ — Not available /);
    },
  );
});
