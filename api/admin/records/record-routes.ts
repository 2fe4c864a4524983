import type { ApiRoute } from '../../known-calls.ts';
import { decisionRoutes } from './decision-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { listRoutes } from './list-routes.ts';
import type { RecordDesk } from './record-desk.ts';
import { recordRoute } from './record-route.ts';
import { statsRoute } from './stats-route.ts';

/** The team's calls over all that people sent. */
export function recordRoutes(desk: RecordDesk): readonly ApiRoute[] {
  return [
    statsRoute(desk),
    ...listRoutes(desk),
    recordRoute(desk),
    ...decisionRoutes(desk),
    ...exportRoutes(desk),
  ];
}
