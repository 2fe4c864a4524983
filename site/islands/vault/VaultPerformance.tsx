import { VAULT_METRICS } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { PerformancePanel } from './PerformancePanel.tsx';

/** How the vault grew over a day, and what moved in and out of it. */
export default function VaultPerformance() {
  return (
    <LiveRoot>
      <LivePerformance />
    </LiveRoot>
  );
}

function LivePerformance() {
  return <PerformancePanel reading={useFigure(VAULT_METRICS)} />;
}
