import { satteri } from '@astrojs/markdown-satteri';
import mdx from '@astrojs/mdx';
import react from '@astrojs/react';
import { defineConfig } from 'astro/config';
import { PORTAL_LIMITS } from './data/model/portal-terms.ts';
import { factExpressions } from './site/content/fact-expressions.ts';
import { facts, readYaml } from './site/content/facts.ts';

/** Texts in the scripts of the shell instead of in every page. */
const scriptTexts = (name) => readYaml(`content/${name}.yaml`);
const shellTexts = scriptTexts('search-and-offline');
const ducklingTexts = {
  greeting: scriptTexts('duckling/answers').greeting,
  longestQuestion: PORTAL_LIMITS.chatQuestionLength,
  ...scriptTexts('duckling/dialog'),
};

const REACT_MODULES = /node_modules[\\/](react|react-dom|scheduler)[\\/]|site[\\/]data[\\/]use-hydrated/;
/** Shared by the live islands and the forms: amounts, dates and wording. */
const MODEL_MODULES =
  /[\\/]data[\\/]model[\\/](amounts|count|format|loan-terms|month|portal-terms|value-state|facts[\\/]wording)\.ts/;
/** Shared by every live island. Rules that one page uses (lists of the admin area, the loan, the calendar) load with it. */
const LIVE_MODULES =
  /[\\/]((@tanstack[\\/](react-query|query-core)|nanostores|@nanostores)[\\/]|data[\\/]model[\\/](?!demo-|forms|admin-|define-|delivery-|allocation|calendar-|erased-)|site[\\/](data[\\/](?!upload-form)[\w-]+\.ts|styles[\\/])|islands[\\/]ui[\\/](?!QrCode|CopyButton|Badge))/;
/** Every table's modules in one file. What pages without a table also use must stay out: it has 14 kB gzip. */
const TABLE_MODULES =
  /[\\/](@tanstack[\\/](react-table|table-core|react-store|store)|use-sync-external-store|islands[\\/]table)[\\/]|islands[\\/]ui[\\/]Badge\./;
/** Shared by forms on pages with and without React. */
const FORM_MODULES =
  /[\\/](data[\\/]model[\\/](form-text|reference-number|forms[\\/](field|contact-form))|site[\\/]data[\\/]submit-form|islands[\\/]form[\\/]draft)\.ts/;
/** Fields and dialogs that islands use without the rest of the forms. */
const FORM_CONTROL_MODULES = /islands[\\/]form[\\/](Field\.|ModalDialog|Success\.|form\.module|modal-dialog)/;
/**
 * The forms of React: React Hook Form (13.4 kB gzip), its zod resolver (1.2) and zod/mini (5.1). A form page has 106 kB of
 * scripts with them, of the 125 that it may have.
 */
const REACT_FORM_MODULES =
  /[\\/](react-hook-form|@hookform|zod)[\\/]|data[\\/]contract[\\/]form-schema|islands[\\/]form[\\/](FormFields|FailureBanner|field-input|use-fields|use-submission)/;
/** The wallet itself, which the shell loads on pages without React too. The demo wallet loads on demand. */
const WALLET_MODULES =
  /[\\/](@wallet-standard[\\/]app|bs58|base-x)[\\/]|islands[\\/](wallet[\\/](?!demo|WalletProvider)|position[\\/]wallet-address)/;
/** Shared by the islands that use the wallet. Dialogs load on demand. */
const WALLET_PART_MODULES =
  /islands[\\/](wallet[\\/]WalletProvider|card[\\/](use-|card\.module)|verification[\\/](use-verification|verify-stake|verification\.module|ManualRequest|AddressForm|denial)|ui[\\/]CopyButton)/;
/** Shared by every admin page. */
const ADMIN_MODULES = /islands[\\/]admin[\\/](AdminPage|admin-)|data[\\/]model[\\/]admin-rules/;
/** Shared by the dashboard and what it loads on demand. */
const DASHBOARD_MODULES =
  /islands[\\/]admin-dashboard[\\/](signs|keys|exports|dashboard-)|data[\\/]model[\\/](admin-lists|define-list)/;
/** Each form's description is a separate file, so that a page loads only its own. */
const FORM_SPEC_MODULES = /data[\\/]model[\\/]forms[\\/]([\w-]+)\.ts/;
/** Loaded by the shell on every page, shared with islands, or added to both by the bundler. */
const SHELL_MODULES =
  /[\\/]data[\\/]model[\\/]count\.ts|[\\/]site[\\/](data[\\/](request|server-clock|live-change-event)\.ts|islands[\\/](ui[\\/]explorer-link|wallet[\\/]remembered-wallet|ui[\\/]offer-download)\.ts|shell[\\/]([\w-]+\.ts|health|toasts[\\/]show-toast|duckling[\\/]open-duckling))|[\\/]site[\\/]components[\\/]tabs[\\/]next-tab|[\\/]nanostores[\\/]|vite[\\/]preload-helper/;
/** Scripts up to this many bytes are inlined, because that costs less than a request. */
const SMALL_SCRIPT = 1_200;

/**
 * Drops the styles that scripts import: islands are rendered in the build, so the pages' stylesheet already has them. (A
 * `client:only` component, which the build does not render, would have no styles.)
 */
const stylesOnce = {
  name: 'styles-once',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  // After a CSS module has its class names, and before the stylesheet is written.
  transform: { filter: { id: /\.css$/ }, handler: () => ({ code: '', map: null }) },
};

/** The page of every UI component in its states, in development only. */
const componentPage = {
  name: 'component-page',
  hooks: {
    'astro:config:setup': ({ command, injectRoute }) => {
      if (command !== 'dev') return;
      injectRoute({ pattern: '/dev/components', entrypoint: './site/dev/components.astro' });
    },
  },
};

export default defineConfig({
  // The public address, in canonical links, the sitemap and sharing pictures.
  site: process.env.PUBLIC_ORIGIN || 'http://localhost:4000',
  output: 'static',
  srcDir: './site',
  publicDir: './site/public',
  outDir: './dist',
  trailingSlash: 'never',
  // Styles and scripts are separate files, so that a second page finds them in the cache.
  build: { format: 'file', inlineStylesheets: 'never' },
  devToolbar: { enabled: false },
  integrations: [react(), mdx(), componentPage],
  markdown: { processor: satteri({ mdastPlugins: [factExpressions(facts)] }) },
  vite: {
    plugins: [stylesOnce],
    // One stylesheet for all pages: one request, and none on the second page.
    build: {
      assetsInlineLimit: (file, { length }) => file.endsWith('.js') && length <= SMALL_SCRIPT,
      cssCodeSplit: false,
      // Writes the API paths into the scripts that use them: as exports of one chunk they cost every page 1 kB.
      rolldownOptions: {
        optimization: { inlineConst: { mode: 'all' } },
        // Astro marks each MDX module with a directive of its own; the bundler would warn once for each question of the FAQ.
        checks: { moduleLevelDirective: false },
      },
    },
    define: {
      SEARCH_TEXTS: JSON.stringify(shellTexts.search),
      UPDATE_TEXTS: JSON.stringify(shellTexts.update),
      DUCKLING_TEXTS: JSON.stringify(ducklingTexts),
    },
    environments: {
      client: {
        build: {
          rolldownOptions: {
            output: {
              // The modules that every live island needs are one file instead of several small ones.
              codeSplitting: {
                groups: [
                  { name: 'shell', test: SHELL_MODULES, priority: 6 },
                  { name: 'react', test: REACT_MODULES, priority: 3 },
                  { name: 'forms', test: FORM_MODULES, priority: 4 },
                  { name: 'live', test: LIVE_MODULES, priority: 2 },
                  { name: 'model', test: MODEL_MODULES, priority: 5 },
                  { name: 'react-forms', test: REACT_FORM_MODULES, priority: 2 },
                  { name: 'form-controls', test: FORM_CONTROL_MODULES, priority: 3 },
                  { name: 'wallet', test: WALLET_MODULES, priority: 1 },
                  { name: 'tables', test: TABLE_MODULES },
                  { name: 'wallet-parts', test: WALLET_PART_MODULES },
                  { name: (id) => FORM_SPEC_MODULES.exec(id)?.[1] ?? null, priority: 1 },
                  { name: 'admin', test: ADMIN_MODULES },
                  { name: 'dashboard', test: DASHBOARD_MODULES },
                ],
              },
            },
          },
        },
      },
    },
    server: { proxy: { '/api': `http://127.0.0.1:${process.env.PORT || 4000}` } },
  },
});
