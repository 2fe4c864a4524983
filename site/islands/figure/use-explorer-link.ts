import { useMemo } from 'react';
import { type FigureBodies, NETWORK_HEALTH } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { type ExplorerLink, explorerLink } from './explorer-link.ts';

const cluster = (health: FigureBodies['/api/network/health']) => ({ cluster: health.cluster });

/** Links into the explorer, or null while the chain that is read is none that it shows. */
export function useExplorerLink(explorer: string): ExplorerLink | null {
  const reading = useFigure(NETWORK_HEALTH, cluster);
  const shown = reading.kind === 'known' ? reading.body.cluster : null;
  return useMemo(() => explorerLink(explorer, shown), [explorer, shown]);
}
