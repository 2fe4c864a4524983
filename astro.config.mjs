import { satteri } from '@astrojs/markdown-satteri';
import mdx from '@astrojs/mdx';
import react from '@astrojs/react';
import { defineConfig } from 'astro/config';
import { factExpressions } from './site/content/fact-expressions.ts';
import { facts } from './site/content/facts.ts';

const REACT_MODULES = /node_modules[\\/](react|react-dom|scheduler)[\\/]/;
const LIVE_MODULES =
  /[\\/](@tanstack|nanostores|@nanostores|data[\\/]model|site[\\/]data|islands[\\/]figure)[\\/]/;

export default defineConfig({
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
    build: { assetsInlineLimit: 0 },
    environments: {
      client: {
        build: {
          rolldownOptions: {
            output: {
              // What every live island needs comes in one file, not in a handful of small ones.
              codeSplitting: {
                groups: [
                  { name: 'react', test: REACT_MODULES, priority: 1 },
                  { name: 'live', test: LIVE_MODULES },
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
