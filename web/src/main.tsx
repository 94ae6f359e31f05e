import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { useBrandStore } from './app/brand'
import { watchStyles } from './app/failedStyles'

watchStyles()

/** A client may be named in the address, for one build that serves several. */
const domain = new URLSearchParams(window.location.search).get('domain') ?? window.location.hostname

function start(): void {
  const root = document.querySelector('#root')
  if (root) createRoot(root).render(<App />)
}

// The page starts even when no configuration comes: the neutral brand and this origin serve.
useBrandStore
  .getState()
  .load(domain)
  .catch(() => undefined)
  .finally(start)
