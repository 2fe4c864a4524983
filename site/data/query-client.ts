import { QueryClient } from '@tanstack/react-query';
import { defaultQueryFunction } from './request.ts';

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        queryFn: defaultQueryFunction,
        staleTime: 30_000,
        retry: 2,
        refetchInterval: false,
        refetchOnWindowFocus: false,
        // Without a connection, a read fails at once and the screen offers a retry.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** The client that all islands of a page share. Each island is a React root with its own provider. */
export const queryClient = createQueryClient();
