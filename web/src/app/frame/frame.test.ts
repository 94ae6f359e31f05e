import { describe, expect, it } from 'vitest'
import { brandOf, genericBrand, type WebConfig } from '../brand'
import { deviceClass } from '@/kit/device'
import { accentPresets, alarmStyle, contrast, page, readable, stateStyle, wall } from '@/kit/theme'
import { ChunkLoadError, withTimeout } from '../lazyPage'
import { connectionStyle } from './ConnectionBadge'
import { watermarkText } from './watermark'

describe('watermark', () => {
  it('WM-004 the title without 运营平台, the phone from its fifth character', () => {
    expect(watermarkText('某某运营平台', '13812345678')).toBe('某某2345678')
    expect(watermarkText('运营平台某某运营平台', '13812345678')).toBe('某某2345678')
  })

  it('WM-005 the default when title or phone is missing', () => {
    expect(watermarkText('', '13812345678')).toBe('请勿外传')
    expect(watermarkText('某某运营平台', '')).toBe('请勿外传')
  })
})

describe('device classes', () => {
  it('FRAME-009 FRAME-010 FRAME-011 FRAME-012 FRAME-013 a limit belongs to the larger class', () => {
    expect([1400, 1200, 1199, 576, 575].map(deviceClass)).toEqual(['desktop', 'desktop', 'tablet', 'tablet', 'mobile'])
  })
})

describe('brand', () => {
  const config = { title: '某某运营平台', logo: 'a.png', company: '某某公司', filing: '备案' } as WebConfig
  it('comes from the configuration', () => {
    expect(brandOf(config, false)).toEqual({ title: '某某运营平台', logo: 'a.png', company: '某某公司', filing: '备案' })
  })

  it('the switch swaps in the neutral brand', () => {
    expect(brandOf(config, true)).toEqual(genericBrand)
    expect(brandOf(null, false)).toEqual(genericBrand)
  })
})

describe('lazy pages', () => {
  it('ACCESS-018 a chunk that does not come in time is a ChunkLoadError', async () => {
    await expect(withTimeout(() => new Promise(() => {}), 5)).rejects.toBeInstanceOf(ChunkLoadError)
  })

  it('AMB-081 a chunk that fails earlier is reported at once, by the same name', async () => {
    const failing = withTimeout(() => Promise.reject(new Error('gone')), 120_000)
    await expect(failing).rejects.toMatchObject({ name: 'ChunkLoadError' })
  })

  it('what loads in time is given on', async () => {
    await expect(withTimeout(() => Promise.resolve(7), 120_000)).resolves.toBe(7)
  })
})

describe('theme', () => {
  it('text and filled buttons are AA for every accent', () => {
    for (const { color } of accentPresets) expect(contrast(readable(color), '#FFFFFF'), color).toBeGreaterThanOrEqual(4.5)
    expect(readable('#000000')).toBe('#000000')
  })

  it('inks are AA on their grounds, by day and by night', () => {
    for (const palette of [page, wall]) {
      expect(contrast(palette.text, palette.background)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(palette.weakText, palette.panel)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(palette.weakText, palette.background)).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('every state differs from every other by colour and by sign', () => {
    const styles = [...stateStyle, alarmStyle]
    expect(stateStyle).toHaveLength(8)
    expect(new Set(styles.map((style) => style.sign)).size).toBe(9)
    expect(new Set(stateStyle.map((style) => style.color)).size).toBe(8)
  })
})

describe('connection badge', () => {
  it('says 实时, 延迟 n 秒 or 已断开', () => {
    expect(connectionStyle({ kind: 'live' }).label).toBe('实时')
    expect(connectionStyle({ kind: 'delayed', seconds: 12 }).label).toBe('延迟 12 秒')
    expect(connectionStyle({ kind: 'offline', seconds: 3, reason: '' }).label).toBe('已断开')
  })
})
