const ROUTE_CLASSES = ['figure', 'call', 'stream', 'page', 'operations'] as const;
export type RouteClass = (typeof ROUTE_CLASSES)[number];

/** The status counted when a client closes the connection before the answer, as in nginx's logs. It is never sent. */
export const CLIENT_LEFT = 499;

const STATUS_COUNT = 600;

/** Counts requests by route class and status. `count` allocates nothing, because it runs up to 70,000 times a second. */
export class RequestCounts {
  readonly #counts = Object.fromEntries(
    ROUTE_CLASSES.map((routeClass) => [routeClass, new Float64Array(STATUS_COUNT)]),
  ) as Readonly<Record<RouteClass, Float64Array>>;

  count(routeClass: RouteClass, status: number): void {
    const counts = this.#counts[routeClass];
    counts[status] = (counts[status] ?? 0) + 1;
  }

  all() {
    return ROUTE_CLASSES.flatMap((routeClass) =>
      [...this.#counts[routeClass].entries()]
        .filter(([, requests]) => requests > 0)
        .map(([status, requests]) => ({ routeClass, status, requests })),
    );
  }
}
