import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { satteri } from '@astrojs/markdown-satteri';
import mdx from '@astrojs/mdx';
import react from '@astrojs/react';
import { defineConfig } from 'astro/config';
import { ORIGIN_PLACEHOLDER } from './data/contract/origin-placeholder.ts';
import * as PATHS from './data/contract/paths.ts';
import { PORTAL_LIMITS } from './data/model/portal-terms.ts';
import { pdfViewerPage } from './scripts/pdf-viewer.ts';
import { factExpressions } from './site/content/fact-expressions.ts';
import { facts, readYaml } from './site/content/facts.ts';

/**
 * A version that changes with the API contract, because figures that a browser stored under an earlier contract may have
 * different fields.
 */
const storedFiguresVersion = () => {
  const hash = createHash('sha256');
  for (const file of readdirSync('data/contract').sort()) hash.update(readFileSync(`data/contract/${file}`));
  return hash.digest('hex').slice(0, 12);
};

/** Reads texts that are built into the shell's scripts, so that they are not repeated in every page. */
const scriptTexts = (name) => readYaml(`content/${name}.yaml`);
const shellTexts = scriptTexts('search-and-offline');
const synonyms = scriptTexts('duckling/synonyms')
  .map((words) => words.join(' '))
  .join('\n');
const ducklingTexts = {
  greeting: scriptTexts('duckling/answers').greeting,
  longestQuestion: PORTAL_LIMITS.chatQuestionLength,
  ...scriptTexts('duckling/dialog'),
};

/** Visitors' own names for addresses, and the components that show them. */
const OWN_NAME_MODULES =
  /\/site\/islands\/(?:address-book\/own-names|ui\/(?:OwnName|LinkedId|AddressEntry))\.tsx?$/;

const REACT_MODULES =
  /node_modules[\\/](react|react-dom|scheduler)[\\/]|site[\\/](data[\\/]use-hydrated|locale[\\/]jsx-runtime)/;
/** Amounts, dates and wording, shared by the live islands and the forms. */
const MODEL_MODULES =
  /[\\/](data[\\/]model[\\/](amounts|digit-grouping|format|loan-terms|month|portal-terms|value-state|facts[\\/]amount-text)|site[\\/]locale[\\/]localized-text)\.ts/;
/** Shared by every live island. Modules that only one page uses (the admin lists, the loan, the calendar) load with that page. */
const LIVE_MODULES =
  /[\\/]((@tanstack[\\/](react-query|query-core)|nanostores|@nanostores)[\\/]|data[\\/]model[\\/](?!demo-|forms|admin-|define-|delivery-|allocation|calendar-|erased-|mentions|search)|site[\\/](data[\\/](?!upload-form|passkeys)[\w-]+\.ts|styles[\\/])|islands[\\/]ui[\\/](?!QrCode|StakerBadge|LinkedId|OwnName|AddressEntry))/;
/** Shared by all tables: 14 kB gzipped. Modules that pages without a table use must stay out of this chunk. */
const TABLE_MODULES =
  /[\\/](@tanstack[\\/](react-table|table-core|react-store|store)|use-sync-external-store|islands[\\/]table)[\\/]|islands[\\/]ui[\\/]StakerBadge\./;
/** Shared by forms on pages with and without React. */
const FORM_MODULES =
  /[\\/](data[\\/]model[\\/](form-text|reference-number|forms[\\/](field|contact-form))|site[\\/]data[\\/]submit-form|islands[\\/]form[\\/]draft)\.ts/;
/** Fields and dialogs that islands use without the rest of the form code. */
const FORM_CONTROL_MODULES = /islands[\\/]form[\\/](Field\.|ModalDialog|Success\.|form\.module|modal-dialog)/;
/**
 * Forms in React: React Hook Form (13.4 kB gzipped), its zod resolver (1.2) and zod/mini (5.1). With them, a form page has 106 kB
 * of scripts. The limit is 125 kB.
 */
const REACT_FORM_MODULES =
  /[\\/](react-hook-form|@hookform|zod)[\\/]|data[\\/]contract[\\/]form-schema|islands[\\/]form[\\/](FormFields|FailureBanner|field-input|use-fields|use-submission)/;
/**
 * The core of the wallet code, which the shell also loads on pages without React. The demo wallet, wallet apps and proofs load
 * on demand.
 */
const WALLET_MODULES =
  /[\\/](@wallet-standard[\\/]app|bs58|base-x)[\\/]|islands[\\/](wallet[\\/](?!demo|mobile|sign-proof|memo-transaction|WalletProvider)|position[\\/]wallet-address)/;
/** Shared by the islands that use the wallet. Their dialogs load on demand. */
const WALLET_ISLAND_MODULES =
  /islands[\\/](wallet[\\/]WalletProvider|card[\\/](use-|card(-plate)?\.module)|verification[\\/](use-verification|verify-stake|verification\.module|ManualRequest|AddressForm|denial))/;
const ADMIN_MODULES = /islands[\\/]admin[\\/](AdminPage|admin-)|data[\\/]model[\\/]admin-rules/;
/** Shared by the dashboard, the parts that it loads on demand, and the navigation of the admin area. */
const DASHBOARD_MODULES =
  /islands[\\/]admin-dashboard[\\/](status-labels|shortcut-keys|use-is-wide|dashboard|record\.module|panel\.module)|islands[\\/](admin-frame[\\/](navigation|use-)|admin[\\/]live-changes|admin-conversation[\\/]drafts)|data[\\/]model[\\/](admin-lists|define-list)/;
const ACCOUNT_MODULES = /islands[\\/]admin-account[\\/](Sessions|admin-account\.module)/;
/** Each form's spec gets its own file, so that a page loads only the specs of its forms. */
const FORM_SPEC_MODULES = /data[\\/]model[\\/]forms[\\/]([\w-]+)\.ts/;
/** Loaded by the shell on every page, or shared by the shell and islands. */
const SHELL_MODULES =
  /[\\/]data[\\/]model[\\/](digit-grouping|locale)\.ts|[\\/]site[\\/](data[\\/](request|server-clock|connection|live-change-event)\.ts|islands[\\/](ui[\\/]explorer-link|wallet[\\/]remembered-wallet|ui[\\/]download)\.ts|shell[\\/]([\w-]+\.ts|health[\\/](?!network-)|toasts[\\/]show-toast|duckling[\\/]open-duckling))|[\\/]site[\\/]components[\\/]tabs[\\/]next-tab|[\\/]nanostores[\\/](atom|clean-stores)[\\/]|vite[\\/]preload-helper/;
/** Loaded once a page has been idle for a while, so that they are available if the connection is lost. */
const LATER_MODULES =
  /[\\/]site[\\/]shell[\\/](toasts[\\/]toast-region|health[\\/]network-(details|state))\.ts/;
/** Translation, loaded on demand. It is a separate chunk, so that loading it does not load the live islands. */
const LOCALE_MODULES = /[\\/]data[\\/]model[\\/]locale-texts\.ts/;
/** Scripts up to this many bytes are inlined, because that costs less than a request. */
const MAX_INLINE_BYTES = 1_200;

/**
 * Drops the styles that scripts import. The build renders the islands, so the pages' stylesheet already contains their styles. A
 * `client:only` component would have no styles, because the build does not render it.
 */
const stylesOnce = {
  name: 'styles-once',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  // Runs after the class names of CSS modules are generated, and before the stylesheet is written.
  transform: { filter: { id: /\.css$/ }, handler: () => ({ code: '', map: null }) },
};

/** Gives the islands their own JSX runtime, which translates texts. */
const localizedIslands = {
  name: 'localized-islands',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^react\/jsx-(dev-)?runtime$/ },
    handler: (_id, importer) =>
      importer?.includes('/site/islands/')
        ? fileURLToPath(new URL('site/locale/jsx-runtime.ts', import.meta.url))
        : null,
  },
};

/**
 * In development only: pages that show every UI component and every email, the frame for PDFs, and links to the development
 * server.
 */
const development = {
  name: 'development',
  hooks: {
    'astro:config:setup': ({ command, config, injectRoute, updateConfig }) => {
      if (command !== 'dev') return;
      injectRoute({ pattern: '/dev/components', entrypoint: './site/dev/components.astro' });
      injectRoute({ pattern: '/dev/mails', entrypoint: './site/dev/mails.astro' });
      injectRoute({ pattern: '/dev/mails.json', entrypoint: './api/delivery/mail/preview/mails.json.ts' });
      updateConfig({ site: `http://localhost:${config.server.port}` });
    },
    'astro:server:setup': ({ server }) => {
      server.middlewares.use(PATHS.pdfViewer, (_request, response, next) => {
        response.setHeader('Content-Type', 'text/html');
        pdfViewerPage().then((page) => response.end(page), next);
      });
    },
  },
};

/** Removes the descriptions of fields from the scripts for browsers, because only the OpenAPI document needs them. */
const undocumentedFields = {
  name: 'undocumented-fields',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    filter: { id: /\/data\/model\/(?:admin-lists|forms\/[\w-]+)\.ts$/ },
    handler: (code) => code.replace(/\babout:\s*(?:'[^'\n]*'|[A-Z_]+),?/g, ''),
  },
};

export default defineConfig({
  // A placeholder in canonical links, the sitemap, feeds and documents. The API replaces it with the portal's origin.
  site: ORIGIN_PLACEHOLDER,
  output: 'static',
  srcDir: './site',
  publicDir: './site/public',
  outDir: './dist',
  trailingSlash: 'never',
  // Stylesheets are separate files, so that the next page finds them in the cache.
  build: { format: 'file', inlineStylesheets: 'never' },
  devToolbar: { enabled: false },
  integrations: [react(), mdx(), development],
  markdown: { processor: satteri({ mdastPlugins: [factExpressions(facts)] }) },
  vite: {
    plugins: [stylesOnce, localizedIslands, undocumentedFields],
    // One stylesheet for all pages. `scripts/page-styles.ts` splits it by kind of page.
    build: {
      assetsInlineLimit: (file, { length }) => file.endsWith('.js') && length <= MAX_INLINE_BYTES,
      cssCodeSplit: false,
      // Inlines the API paths in the scripts that use them. As exports of a shared file, they would cost every page 1 kB.
      rolldownOptions: {
        optimization: { inlineConst: { mode: 'all' } },
        // Astro adds a directive to each MDX module, so the bundler would warn about each question in the FAQ.
        checks: { moduleLevelDirective: false },
      },
    },
    define: {
      SEARCH_TEXTS: JSON.stringify(shellTexts.search),
      UNANSWERED_TEXTS: JSON.stringify(shellTexts.unanswered),
      UPDATE_TEXTS: JSON.stringify(shellTexts.update),
      STORED_FIGURES_TEXT: JSON.stringify(shellTexts.offline.figures),
      STORED_FIGURES_VERSION: JSON.stringify(storedFiguresVersion()),
      DUCKLING_TEXTS: JSON.stringify(ducklingTexts),
      SEARCH_SYNONYMS: JSON.stringify(synonyms),
    },
    environments: {
      client: {
        build: {
          rolldownOptions: {
            output: {
              codeSplitting: {
                groups: [
                  { name: 'toast-region', test: LATER_MODULES, priority: 5 },
                  { name: 'locale', test: LOCALE_MODULES, priority: 5 },
                  { name: 'shell', test: SHELL_MODULES, priority: 6 },
                  { name: 'react', test: REACT_MODULES, priority: 3 },
                  { name: 'forms', test: FORM_MODULES, priority: 4 },
                  { name: 'live', test: LIVE_MODULES, priority: 2 },
                  { name: 'model', test: MODEL_MODULES, priority: 5 },
                  { name: 'react-forms', test: REACT_FORM_MODULES, priority: 2 },
                  { name: 'form-controls', test: FORM_CONTROL_MODULES, priority: 3 },
                  { name: 'wallet', test: WALLET_MODULES, priority: 1 },
                  // A separate file, because admin pages load the live modules but do not show visitors' names for addresses.
                  { name: 'own-names', test: OWN_NAME_MODULES },
                  { name: 'tables', test: TABLE_MODULES },
                  { name: 'wallet-parts', test: WALLET_ISLAND_MODULES },
                  { name: (id) => FORM_SPEC_MODULES.exec(id)?.[1] ?? null, priority: 1 },
                  { name: 'admin', test: ADMIN_MODULES },
                  { name: 'dashboard', test: DASHBOARD_MODULES },
                  { name: 'account', test: ACCOUNT_MODULES },
                ],
              },
            },
          },
        },
      },
    },
    server: {
      proxy: Object.fromEntries(
        ['/api', '/badge/', '/embed/', '/feed.json'].map((path) => [
          path,
          `http://127.0.0.1:${process.env.PORT || 4000}`,
        ]),
      ),
    },
  },
});
