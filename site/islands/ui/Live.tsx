import { QueryClientProvider } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { queryClient } from '../../data/query-client.ts';
import { useStreamState } from '../../data/use-figure.ts';
import styles from './figure.module.css';
import { IslandBoundary } from './IslandBoundary.tsx';

/** Gives an island the page's query client and an error boundary. Islands are separate React roots, so each needs this. */
export function LiveRoot({ children }: { readonly children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <IslandBoundary>{children}</IslandBoundary>
    </QueryClientProvider>
  );
}

export function liveIsland<Props extends object>(Island: ComponentType<Props>) {
  return (props: Props) => (
    <LiveRoot>
      <Island {...props} />
    </LiveRoot>
  );
}

/** If `isAnnounced`, screen readers announce changes. Set it on only one sign per page. */
export function LiveSign({ isAnnounced = false }: { readonly isAnnounced?: boolean }) {
  const isLive = useStreamState() === 'live';
  return (
    <span
      className={`${styles.stream} script-only`}
      data-live={isLive}
      role={isAnnounced ? 'status' : undefined}
    >
      <span className={styles.pulse} aria-hidden="true" />
      {isLive ? 'Live' : 'Reconnecting'}
    </span>
  );
}
