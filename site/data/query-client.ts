import { QueryClient } from '@tanstack/react-query';
import { defaultRead } from './request.ts';

/** A client with the portal's defaults: data fresh for 30 seconds, queries retry twice, mutations never. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        queryFn: defaultRead(),
        staleTime: 30_000,
        retry: 2,
        refetchInterval: false,
        refetchOnWindowFocus: false,
        // A lost connection must show as a failed read with a retry, not as a read that waits for ever.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** The page's one client. Islands are separate React roots: each puts its own provider around this same client. */
export const queryClient = createQueryClient();
