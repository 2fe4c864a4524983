import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';
import { FIGURE_HEADERS } from '../../data/contract/paths.ts';
import { WIDGET_SCRIPT_HASH } from '../embed/widget.ts';

/** Alternating header names and values, for `ServerResponse.writeHead`. */
export type HeaderList = readonly string[];

export interface SecurityHeaders {
  /** For pages and files: the site's own Content-Security-Policy. */
  readonly page: HeaderList;
  /** For answers of the API, which load nothing. */
  readonly data: HeaderList;
  /** For answers of the API that pages of all origins may read, without cookies. */
  readonly publicData: HeaderList;
  /** For images on pages of all origins. */
  readonly badge: HeaderList;
  /** For the page that pages of all origins may show in a frame. */
  readonly widget: HeaderList;
}

interface SecurityOptions {
  /** Where visitors reach the portal; null if not configured. HSTS is sent for https only. */
  readonly publicOrigin: string | null;
  /** CSP hash sources (`'sha256-…'`) of the site's inline scripts. */
  readonly inlineScriptHashes: readonly string[];
}

const HSTS_SECONDS = 365 * 24 * 60 * 60;

/** Browser features that the portal never uses. */
const PERMISSIONS_POLICY = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'usb',
  'browsing-topics',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

function pageDirectives(inlineScriptHashes: readonly string[]): Record<string, readonly string[]> {
  return {
    'default-src': ["'self'"],
    // The site's search is WebAssembly. This source allows it to compile, but allows no script.
    'script-src': ["'self'", "'wasm-unsafe-eval'", ...inlineScriptHashes],
    'script-src-attr': ["'none'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    // The admin screen shows documents as blobs, which are not cached.
    'img-src': ["'self'", 'data:', 'blob:'],
    'connect-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'self'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  };
}

const DATA_DIRECTIVES: Record<string, readonly string[]> = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

const BADGE_DIRECTIVES = { ...DATA_DIRECTIVES, 'style-src': ["'unsafe-inline'"] };

const WIDGET_DIRECTIVES = {
  ...DATA_DIRECTIVES,
  'script-src': [WIDGET_SCRIPT_HASH],
  'style-src': ["'unsafe-inline'"],
  'connect-src': ["'self'"],
  'frame-ancestors': ['*'],
};

const ANY_ORIGIN: HeaderList = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  ['ETag', 'Retry-After', ...Object.values(FIGURE_HEADERS)].join(', '),
];

/** Runs helmet on a response that is never sent, and returns the headers that it sets. */
function computeHeaders(
  directives: Record<string, readonly string[]>,
  { https, isEmbedded = false }: { readonly https: boolean; readonly isEmbedded?: boolean },
): HeaderList {
  const options: HelmetOptions = {
    contentSecurityPolicy: { useDefaults: false, directives },
    // Some wallets sign in a popup, which `same-origin` would disconnect from the page.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    crossOriginResourcePolicy: { policy: isEmbedded ? 'cross-origin' : 'same-origin' },
    frameguard: directives['frame-ancestors']?.includes("'none'") ? { action: 'deny' } : false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    strictTransportSecurity: https ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
  };
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet(options)(request, response, (error) => {
    if (error) throw error;
  });
  response.setHeader('Permissions-Policy', PERMISSIONS_POLICY);
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}

/** Every security header, computed once at start. */
export function securityHeaders({ publicOrigin, inlineScriptHashes }: SecurityOptions): SecurityHeaders {
  const https = publicOrigin !== null && URL.parse(publicOrigin)?.protocol === 'https:';
  const data = computeHeaders(DATA_DIRECTIVES, { https });
  return {
    page: computeHeaders(pageDirectives(inlineScriptHashes), { https }),
    data,
    publicData: [...data, ...ANY_ORIGIN],
    badge: computeHeaders(BADGE_DIRECTIVES, { https, isEmbedded: true }),
    widget: computeHeaders(WIDGET_DIRECTIVES, { https, isEmbedded: true }),
  };
}

export function applyHeaders(response: ServerResponse, headers: HeaderList): void {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    response.setHeader(headers[index] ?? '', headers[index + 1] ?? '');
  }
}
