import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryClient } from '../../data/query-client.ts';

/** Stands around every island that shows live figures: they are React roots of their own, and share the page's client. */
export function LiveRoot({ children }: { readonly children: ReactNode }) {
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}
