import { readFileSync } from 'node:fs';
import { satteri } from '@astrojs/markdown-satteri';
import mdx from '@astrojs/mdx';
import react from '@astrojs/react';
import { defineConfig } from 'astro/config';
import { parse } from 'yaml';
import { factExpressions } from './site/content/fact-expressions.ts';
import { facts } from './site/content/facts.ts';

/** Scripts of the shell carry their words with them: a page need not, before anyone searches. */
const shellWords = parse(readFileSync('content/search-and-offline.yaml', 'utf8'));
const ducklingWords = {
  greeting: parse(readFileSync('content/duckling/words.yaml', 'utf8')).greeting,
  ...parse(readFileSync('content/duckling/dialog.yaml', 'utf8')),
};

const REACT_MODULES = /node_modules[\\/](react|react-dom|scheduler)[\\/]/;
const LIVE_MODULES =
  /[\\/](@tanstack|nanostores|@nanostores|data[\\/]model(?![\\/]demo-wallets)|site[\\/]data|islands[\\/](figure|download))[\\/]/;
/** What every table needs comes in one file, with the small parts that stand in its rows. */
const TABLE_MODULES = /islands[\\/](table|badge|lock)[\\/]/;
/** What forms share that are sent from pages with and without React. */
const FORM_MODULES =
  /[\\/](data[\\/]model[\\/](application-rules|contact-rules|form-text)|site[\\/]data[\\/]submit-form|islands[\\/]form[\\/](attempt|draft))\.ts/;
/** The wallet itself, which the shell too asks for, on pages without React; the demo wallet comes when it is asked for. */
const WALLET_MODULES =
  /[\\/](@wallet-standard[\\/]app|bs58|base-x)[\\/]|islands[\\/](wallet[\\/](?!demo|use-wallet|wallet-context|WalletProvider)|position[\\/]wallet-address)/;
/** What the islands that use the wallet share; what stands in dialogs comes when it is asked for. */
const WALLET_PART_MODULES =
  /islands[\\/](wallet[\\/](use-wallet|wallet-context|WalletProvider)|card[\\/](use-|card\.module)|verification[\\/](use-verification|verify-stake|verification-stream|event-text|verification\.module|waiting|form-parts|ManualRequest|AddressForm|denial|grouped-amount)|form[\\/](form\.module|Field|SelectField|FaultSummary|ModalDialog|modal-dialog|use-form)|copy[\\/])/;
/** Who is signed in, which every page of the team asks. */
const ADMIN_MODULES =
  /islands[\\/]admin[\\/](AdminOnly|admin-only|admin-session|door-address|own-session|use-admin-session)/;
/** What the shell loads on every page, shares with islands where there are any, and what the bundler adds to both. */
const SHELL_MODULES =
  /[\\/]data[\\/]model[\\/]count\.ts|[\\/]site[\\/](data[\\/](request|server-clock|change-news)\.ts|islands[\\/](figure[\\/]explorer-link|wallet[\\/]remembered-wallet|download[\\/]offer-download)\.ts|shell[\\/]([\w-]+\.ts|health|disclaimer|search[\\/]open-search|tooltips[\\/]wake-tooltips|toasts[\\/]show-toast|wallet[\\/]open-wallet|duckling[\\/]open-duckling|worker[\\/]register-worker))|[\\/]site[\\/]components[\\/]tabs[\\/]next-tab|[\\/]nanostores[\\/]|vite[\\/]preload-helper/;
/** Bytes up to which a page's own script stands in the page: it costs less there than a request. */
const SMALL_SCRIPT = 1_200;

/**
 * Drops the styles of scripts from what browsers load: islands are rendered when the site is built, so the pages' one
 * stylesheet has them already. (A component that is never rendered then, `client:only`, would have none.)
 */
const stylesOnce = {
  name: 'styles-once',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  // Between the reading of a stylesheet, which names the classes of a module, and the writing of it.
  transform: { filter: { id: /\.css$/ }, handler: () => ({ code: '', map: null }) },
};

export default defineConfig({
  // Where the portal is reached from outside: in canonical addresses, the sitemap and what is shared.
  site: process.env.PUBLIC_ORIGIN || 'http://localhost:4000',
  output: 'static',
  srcDir: './site',
  publicDir: './site/public',
  outDir: './dist',
  trailingSlash: 'never',
  // Styles and scripts in files of their own: a page stays small, and a second page finds them in the cache.
  build: { format: 'file', inlineStylesheets: 'never' },
  devToolbar: { enabled: false },
  integrations: [react(), mdx()],
  markdown: { processor: satteri({ mdastPlugins: [factExpressions(facts)] }) },
  vite: {
    plugins: [stylesOnce],
    // One stylesheet for all pages: one request, and none on the second page.
    build: {
      assetsInlineLimit: (file, { length }) => file.endsWith('.js') && length <= SMALL_SCRIPT,
      cssCodeSplit: false,
    },
    define: {
      SEARCH_WORDS: JSON.stringify(shellWords.search),
      UPDATE_WORDS: JSON.stringify(shellWords.update),
      DUCKLING_WORDS: JSON.stringify(ducklingWords),
    },
    environments: {
      client: {
        build: {
          rolldownOptions: {
            output: {
              // What every live island needs comes in one file, not in a handful of small ones.
              codeSplitting: {
                groups: [
                  { name: 'shell', test: SHELL_MODULES, priority: 4 },
                  { name: 'react', test: REACT_MODULES, priority: 3 },
                  { name: 'forms', test: FORM_MODULES, priority: 3 },
                  { name: 'live', test: LIVE_MODULES, priority: 2 },
                  { name: 'wallet', test: WALLET_MODULES, priority: 1 },
                  { name: 'tables', test: TABLE_MODULES },
                  { name: 'wallet-parts', test: WALLET_PART_MODULES },
                  { name: 'admin', test: ADMIN_MODULES },
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
