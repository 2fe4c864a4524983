import type { ApiRoute } from '../known-calls.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallet.ts';
import type { CardDesk } from './card-desk.ts';
import { createRoute } from './create-route.ts';
import type { EligibilityChecks } from './eligible-tier.ts';
import { freezeRoutes } from './freeze-routes.ts';
import { lookRoutes } from './look-routes.ts';
import { ownerLimits } from './owner-route.ts';
import { revealRoute } from './reveal-route.ts';
import { webhookRoute } from './webhook-route.ts';

/** Every call about virtual cards. */
export function cardRoutes(
  desk: CardDesk,
  options: EligibilityChecks & {
    readonly readProvenWallet: ReadProvenWallet;
    readonly fundingAddress: string | null;
    /** Calls a minute of one address and of one wallet; the usual limits where absent. */
    readonly callsPerMinute: number | undefined;
  },
): ApiRoute[] {
  const { looks, changes } = ownerLimits(options.callsPerMinute);
  const changing = { ...options, limits: changes };
  return [
    createRoute(desk, changing),
    revealRoute(desk, changing),
    ...freezeRoutes(desk, changing),
    ...lookRoutes(desk, { ...options, limits: looks }),
    webhookRoute(desk),
  ];
}
