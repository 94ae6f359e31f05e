/** Lines and bars over time, as sharp as the stage is scaled. */
import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components'
import { type EChartsType, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'

import { fontFamily, motion_ms, type Palette } from '@/kit/theme'


use([LineChart, BarChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer])

export interface WallSeries {
  title: string
  kind: 'line' | 'bar'
  color: string
  /** The second sign beside its colour. */
  stroke?: 'solid' | 'dashed' | 'dotted'
  values: readonly (number | null)[]
}

interface WallChartProps {
  label: string
  names: readonly string[]
  series: readonly WallSeries[]
  palette: Palette
  /** px of its letters. */
  size: number
  unit: string
  /** How values read. */
  text: (value: number) => string
  /** Screen px of one of its px; another one is another chart. */
  scale: number
}

const still = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches

export default function WallChart({ label, names, series, palette, size, unit, text, scale }: WallChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<EChartsType>(null)

  useEffect(() => {
    if (!box.current) return undefined
    const drawn = init(box.current, null, { devicePixelRatio: Math.max(1, window.devicePixelRatio * scale) })
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.resize())
    observer.observe(box.current)
    return () => {
      observer.disconnect()
      drawn.dispose()
      chart.current = null
    }
  }, [scale])

  useEffect(() => {
    const weak = { color: palette.weakText, fontFamily, fontSize: size }
    chart.current?.setOption(
      {
        animation: !still(),
        animationDuration: 0,
        animationDurationUpdate: motion_ms.change,
        textStyle: { fontFamily },
        grid: { left: 4, right: 12, top: size * 2.4, bottom: 2, containLabel: true },
        legend: { top: 0, right: 0, textStyle: { ...weak, color: palette.text }, itemWidth: size * 1.4, itemHeight: size * 0.6, itemGap: size },
        tooltip: {
          trigger: 'axis',
          confine: true,
          backgroundColor: palette.panel,
          borderColor: palette.line,
          textStyle: { ...weak, color: palette.text },
          valueFormatter: (value: unknown) => (typeof value === 'number' ? `${text(value)} ${unit}` : '--'),
        },
        xAxis: {
          type: 'category',
          data: [...names],
          boundaryGap: series.some(({ kind }) => kind === 'bar'),
          axisLabel: { ...weak, hideOverlap: true },
          axisTick: { show: false },
          axisLine: { lineStyle: { color: palette.line } },
        },
        yAxis: {
          type: 'value',
          min: ({ min }: { min: number }) => Math.min(0, min),
          // Small counts have no halves.
          minInterval: 1,
          splitNumber: 3,
          axisLabel: { ...weak, formatter: (value: number) => text(value).replace(/\.00$/, '') },
          splitLine: { lineStyle: { color: palette.line } },
        },
        series: series.map(({ title, kind, color, stroke = 'solid', values }) => ({
          type: kind,
          name: title,
          data: [...values],
          itemStyle: { color },
          ...(kind === 'line'
            ? { showSymbol: false, smooth: false, lineStyle: { color, type: stroke, width: stroke === 'solid' ? size / 5 : size / 8 } }
            : { barMaxWidth: size * 1.6 }),
        })),
      },
      { notMerge: false, lazyUpdate: true },
    )
  }, [names, series, palette, size, unit, text])

  return <div ref={box} className="screen-chart" role="img" aria-label={label} />
}
