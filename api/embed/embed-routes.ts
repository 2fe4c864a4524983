import { type Request, type Response, Router } from 'express';
import { apiOriginOf } from '../../data/config/api-origin.ts';
import {
  EMBED_THEMES,
  EMBEDDED_FIGURE_NAMES,
  type EmbeddedFigureName,
  type EmbedTheme,
} from '../../data/contract/embeds.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { ApiError } from '../errors.ts';
import { matchesTag, strongTag } from '../etag.ts';
import { chainSnapshot, eventsProvenance } from '../metrics/figure.ts';
import { transactionsBody } from '../metrics/figures.ts';
import { linkOrigin } from '../pages/serve-pages.ts';
import type { PortalContext } from '../portal-context.ts';
import { applyHeaders, crossOriginReadHeaders, type HeaderList } from '../security/headers.ts';
import { badgeSvg } from './badge.ts';
import { embeddedFigure } from './embedded-figures.ts';
import { eventFeed } from './event-feed.ts';
import { widgetHtml } from './widget.ts';

/** Caches may keep an answer this long, because the answer shows when its figure was read. */
const MAX_AGE_SECONDS = 60;

const themeOf = ({ query }: Request): EmbedTheme =>
  EMBED_THEMES.find((theme) => theme === query.theme) ?? 'auto';

/** The figures requested by `?figures=staked,price`, in the order of the widget; all figures if no known figure is requested. */
function figuresOf({ query: { figures } }: Request): readonly EmbeddedFigureName[] {
  const requestedNames = typeof figures === 'string' ? figures.split(',') : [];
  const chosen = EMBEDDED_FIGURE_NAMES.filter((name) => requestedNames.includes(name));
  return chosen.length === 0 ? EMBEDDED_FIGURE_NAMES : chosen;
}

function send(
  request: Request,
  response: Response,
  { type, body, security }: { readonly type: string; readonly body: string; readonly security: HeaderList },
): void {
  const etag = strongTag(body);
  applyHeaders(response, security);
  response.set({ 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`, ETag: etag });
  if (matchesTag(request.headers['if-none-match'], etag)) response.status(304).end();
  else response.set('Content-Type', type).send(body);
}

/**
 * Routes that other sites use: badges, the widget for an iframe, the JSON Feed of chain events, the client library, and the
 * rules and icon of Solana Actions.
 */
export function embedRoutes({ figureInputs, now, security, ...origins }: PortalContext): Router {
  const router = Router();
  const read = (name: EmbeddedFigureName) => embeddedFigure(name, figureInputs(), now());
  for (const name of EMBEDDED_FIGURE_NAMES) {
    router.get(PATHS.badge(name), (request, response) => {
      const body = badgeSvg(read(name), themeOf(request));
      send(request, response, { type: 'image/svg+xml; charset=utf-8', body, security: security.badge });
    });
  }
  router.get(PATHS.figuresWidget, (request, response) => {
    // The app has already set the headers for pages, which forbid framing.
    response.removeHeader('X-Frame-Options');
    const body = widgetHtml(figuresOf(request).map(read), {
      theme: themeOf(request),
      portal: linkOrigin(origins.publicOrigin, request),
    });
    send(request, response, { type: 'text/html; charset=utf-8', body, security: security.widget });
  });
  router.get(PATHS.eventFeed, (request, response) => {
    applyHeaders(response, security.publicData.anyone);
    const inputs = figureInputs();
    const [rows, snapshot] = [transactionsBody(inputs), chainSnapshot(inputs)];
    if (rows === null || snapshot === null) throw new ApiError('history-not-read-yet');
    const { state, asOf, slot } = eventsProvenance(snapshot, inputs.index, now());
    // The state, time and slot are in headers, because the body must stay the same while there are no new events.
    response.set({
      [PATHS.FIGURE_HEADERS.state]: state,
      [PATHS.FIGURE_HEADERS.asOf]: asOf,
      [PATHS.FIGURE_HEADERS.slot]: String(slot),
    });
    const body = JSON.stringify(
      eventFeed(rows, {
        source: snapshot.source,
        site: linkOrigin(origins.publicOrigin, request),
        api: linkOrigin(apiOriginOf(origins), request),
      }),
    );
    send(request, response, {
      type: 'application/feed+json; charset=utf-8',
      body,
      security: security.publicData.anyone,
    });
  });
  router.get([...PATHS.clientFiles, PATHS.actionRules], (_request, response, next) => {
    applyHeaders(response, crossOriginReadHeaders('*'));
    next();
  });
  // Sites that show the Solana Action embed its icon.
  router.get(PATHS.actionIcon, (_request, response, next) => {
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    next();
  });
  return router;
}
