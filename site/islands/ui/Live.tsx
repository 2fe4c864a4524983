import { QueryClientProvider } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { queryClient } from '../../data/query-client.ts';
import { useStreamState } from '../../data/use-figure.ts';
import styles from './figure.module.css';

/** Gives an island the page's query client, because islands are separate React roots. */
export function LiveRoot({ children }: { readonly children: ReactNode }) {
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}

/** Turns a component that uses the page's query client into an island. */
export function liveIsland<Props extends object>(Island: ComponentType<Props>) {
  return (props: Props) => (
    <LiveRoot>
      <Island {...props} />
    </LiveRoot>
  );
}

/**
 * Shows Live while the event stream delivers, and Reconnecting otherwise.
 * @param announced whether screen readers hear a change; true for one sign on a page
 */
export function LiveSign({ announced = false }: { readonly announced?: boolean }) {
  const live = useStreamState() === 'live';
  return (
    <span className={`${styles.stream} script-only`} data-live={live} role={announced ? 'status' : undefined}>
      <span className={styles.pulse} aria-hidden="true" />
      {live ? 'Live' : 'Reconnecting'}
    </span>
  );
}
