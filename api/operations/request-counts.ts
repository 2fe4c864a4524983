const ROUTE_CLASSES = ['figure', 'call', 'stream', 'page', 'operations'] as const;
export type RouteClass = (typeof ROUTE_CLASSES)[number];

/** Status of a request whose client left before the answer, as in the logs of nginx. */
export const CLIENT_LEFT = 499;

const STATUSES = 600;

/** Answered requests, by route class and status. Counting allocates nothing, because it runs up to 70,000 times a second. */
export class RequestCounts {
  readonly #counts: Readonly<Record<RouteClass, Float64Array>> = {
    figure: new Float64Array(STATUSES),
    call: new Float64Array(STATUSES),
    stream: new Float64Array(STATUSES),
    page: new Float64Array(STATUSES),
    operations: new Float64Array(STATUSES),
  };

  count(routeClass: RouteClass, status: number): void {
    const counts = this.#counts[routeClass];
    counts[status] = (counts[status] ?? 0) + 1;
  }

  /** The counts above zero. */
  all(): readonly { readonly routeClass: RouteClass; readonly status: number; readonly requests: number }[] {
    return ROUTE_CLASSES.flatMap((routeClass) =>
      [...this.#counts[routeClass].entries()]
        .filter(([, requests]) => requests > 0)
        .map(([status, requests]) => ({ routeClass, status, requests })),
    );
  }
}
