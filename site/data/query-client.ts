import { QueryClient } from '@tanstack/react-query';
import { defaultRead } from './request.ts';

/** A client with the portal's defaults: queries retry twice, mutations never. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        queryFn: defaultRead(),
        staleTime: 30_000,
        retry: 2,
        refetchInterval: false,
        refetchOnWindowFocus: false,
        // Without a connection a read must fail and offer a retry, not wait indefinitely.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** The page's one client. Islands are separate React roots, each with its own provider around this client. */
export const queryClient = createQueryClient();
