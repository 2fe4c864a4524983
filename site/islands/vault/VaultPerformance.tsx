import { QueryClientProvider } from '@tanstack/react-query';
import { VAULT_METRICS } from '../../data/figure-strategies.ts';
import { queryClient } from '../../data/query-client.ts';
import { useFigure } from '../../data/use-figure.ts';
import { PerformancePanel } from './PerformancePanel.tsx';

/** How the vault grew over a day, and what moved in and out of it. */
export default function VaultPerformance() {
  return (
    <QueryClientProvider client={queryClient}>
      <LivePerformance />
    </QueryClientProvider>
  );
}

function LivePerformance() {
  return <PerformancePanel reading={useFigure(VAULT_METRICS)} />;
}
