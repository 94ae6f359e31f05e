import { useMemo } from 'react'
import { useBrand } from '../brand'
import { fontFamily } from '@/kit/theme'
import { watermarkText, watermarkTile } from './watermark'

/** Lies over every page but the login pages, and lets clicks through. */
export function Watermark() {
  const { title } = useBrand()
  const text = watermarkText(title, localStorage.getItem('opMan') ?? '')
  const tile = useMemo(() => watermarkTile(text, fontFamily), [text])
  return <div className="watermark" aria-hidden data-text={text} style={{ backgroundImage: `url(${tile})` }} />
}
