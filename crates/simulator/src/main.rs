//! The simulator's command line.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand};
use simulator::city::{City, geojson::feature_collection};
use simulator::replay::play;
use simulator::replay::source::Recording;
use simulator::world::{Action, Habits, World};
use simulator::{demo, theft, wall};
use vocabulary::Datum;

/// 共享电单车城市模拟器：只走公开接口（MQTT 与开放 API）。
#[derive(Parser)]
#[command(name = "simulator", version)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// 生成一座虚构城市的 GeoJSON
    City {
        #[arg(long, default_value_t = 7)]
        seed: u64,
        /// 输出文件；`-` 为标准输出
        #[arg(long)]
        out: PathBuf,
    },
    /// 布置演示城市并让它运转
    Demo {
        #[command(flatten)]
        target: Target,
        #[arg(long, default_value_t = 7)]
        seed: u64,
        #[arg(long, default_value_t = 2_000)]
        bikes: u32,
        /// 时间倍速，0.1 到 6
        #[arg(long, default_value_t = 1.0)]
        speed: f64,
        /// 每辆车固定按此间隔上报，例如 5s（压测用）
        #[arg(long, value_parser = duration)]
        report_every: Option<Duration>,
        /// 运行多少秒后结束
        #[arg(long, value_parser = duration)]
        for_seconds: Option<Duration>,
        /// 用自己凭据直连的车辆数（JSON 报文），其余走网关
        #[arg(long, default_value_t = 5)]
        own_connections: usize,
        /// 异常事件的频度倍数
        #[arg(long, default_value_t = 1.0)]
        trouble: f64,
        /// Rides a bike makes on a mean day; 5 is an ordinary city, more is livelier to watch.
        #[arg(long, default_value_t = 15.0)]
        rides: f64,
        /// 城市的一天从几时开始，与此刻的钟点无关；缺省为早高峰
        #[arg(long, default_value_t = 7.5)]
        wakes_at: f64,
        /// 城市按此刻的钟点运转
        #[arg(long, conflicts_with = "wakes_at")]
        by_the_clock: bool,
        /// 补录开始之前多少天的停车，0 到 30
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(i64).range(0..=30))]
        past_days: i64,
        /// 运维区负责人的登录手机号；缺省则不画运维区
        #[arg(long)]
        manager: Option<String>,
    },
    /// 把真实行程与关锁记录按时间回放为设备报文
    Replay {
        #[command(flatten)]
        target: Target,
        #[arg(long, default_value_t = 60.0)]
        speed: f64,
        /// 第一条记录对应的时刻（毫秒时间戳）；缺省为现在
        #[arg(long)]
        from: Option<i64>,
        /// 超过此长度的空档缩短到此长度，例如 10m
        #[arg(long, value_parser = duration)]
        longest_gap: Option<Duration>,
        /// 报文时刻保留原记录的间隔（配合 --from 使用），而不是随倍速压缩
        #[arg(long)]
        keep_clock: bool,
        #[arg(long, default_value = "回放")]
        agent: String,
        #[arg(long, default_value = "厦门回放")]
        area: String,
        #[command(flatten)]
        files: Files,
    },
    /// 登记一辆车，停稳后被货车拉走（或锁被撬开、头盔丢失、头盔锁坏掉）；打印车号和出事的时刻
    Theft {
        #[command(flatten)]
        target: Target,
        #[arg(long)]
        agent: String,
        #[arg(long)]
        area: String,
        /// 停放处，WGS-84
        #[arg(long, allow_negative_numbers = true)]
        lat: f64,
        #[arg(long, allow_negative_numbers = true)]
        lng: f64,
        /// 出什么事
        #[arg(long, value_enum, default_value = "stolen")]
        wrong: theft::Wrong,
        /// 出事以后继续上报多久
        #[arg(long, default_value = "60s", value_parser = duration)]
        stays: Duration,
    },
    /// 只解析并统计，不连服务器
    Inspect {
        #[command(flatten)]
        files: Files,
    },
    /// 测量本机推进与编码的速度，不连服务器
    Bench {
        #[arg(long, default_value_t = 20_000)]
        bikes: u32,
        /// 模拟多少秒
        #[arg(long, default_value_t = 60)]
        seconds: i64,
    },
}

#[derive(Args)]
struct Target {
    /// 服务器地址，例如 http://127.0.0.1:8080
    #[arg(long)]
    server: String,
    /// 存放服务令牌的文件
    #[arg(long)]
    token_file: PathBuf,
    /// MQTT 地址 主机:端口
    #[arg(long, value_parser = host_port)]
    mqtt: (String, u16),
}

#[derive(Args)]
struct Files {
    /// CSV 或 CSV.gz 文件
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// 最多读多少行
    #[arg(long, default_value_t = u64::MAX)]
    limit: u64,
    /// 源数据坐标系：wgs84、gcj02、bd09
    #[arg(long, default_value = "wgs84", value_parser = datum)]
    datum: Datum,
    /// 把统计写成 JSON
    #[arg(long)]
    summary: Option<PathBuf>,
}

fn host_port(text: &str) -> Result<(String, u16), String> {
    let (host, port) = text.rsplit_once(':').ok_or("应为 主机:端口")?;
    let port = port.parse().map_err(|_| format!("端口不对：{port}"))?;
    if host.is_empty() { Err("缺主机".into()) } else { Ok((host.to_owned(), port)) }
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit_s) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => match text.strip_suffix(['s', 'm', 'h']) {
            Some(number) => (
                number,
                if text.ends_with('s') {
                    1.0
                } else if text.ends_with('m') {
                    60.0
                } else {
                    3600.0
                },
            ),
            None => (text, 1.0),
        },
    };
    let seconds = number.parse::<f64>().map_err(|_| format!("不是时长：{text}"))? * unit_s;
    if seconds > 0.0 && seconds < 1e8 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("时长须为正数：{text}"))
    }
}

fn datum(text: &str) -> Result<Datum, String> {
    match text {
        "wgs84" => Ok(Datum::Wgs84),
        "gcj02" => Ok(Datum::Gcj02),
        "bd09" => Ok(Datum::Bd09),
        _ => Err("须为 wgs84、gcj02 或 bd09".into()),
    }
}

fn token(path: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("读不了令牌文件 {}", path.display()))?;
    let text = text.trim().to_owned();
    if text.is_empty() {
        bail!("令牌文件 {} 是空的", path.display());
    }
    Ok(text)
}

fn write_city(seed: u64, out: &Path) -> anyhow::Result<()> {
    let text = serde_json::to_vec(&feature_collection(&City::new(seed)))?;
    if out == Path::new("-") {
        std::io::stdout().write_all(&text)?;
    } else {
        std::fs::write(out, &text).with_context(|| format!("写不了 {}", out.display()))?;
        println!("{}：{} 字节", out.display(), text.len());
    }
    Ok(())
}

fn summary(path: Option<&Path>, recording: &Recording, played: Option<&play::Played>) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let json = serde_json::json!({
        "files": recording.files, "rows": recording.rows_read(), "playable": recording.rows.len(),
        "bikes": recording.bikes.len(), "refused": recording.refused, "played": played,
    });
    std::fs::write(path, serde_json::to_vec_pretty(&json)?)
        .with_context(|| format!("写不了 {}", path.display()))
}

fn bench(bikes: u32, seconds: i64) {
    let start_ms = wall::now_ms();
    let made = Instant::now();
    let habits = Habits { report_every_ms: Some(5_000), ..Habits::default() };
    let mut world = World::new(7, bikes, start_ms, habits);
    println!("{bikes} 辆车的城市：{:.2} 秒", made.elapsed().as_secs_f64());
    let began = Instant::now();
    let (mut reports, mut bytes) = (0_u64, 0_u64);
    for second in 1..=seconds {
        for action in world.step(start_ms + second * 1_000) {
            match action {
                Action::Report { report, .. } => {
                    reports += 1;
                    bytes += report.compact().iter().map(|b| u64::from(*b != 0)).sum::<u64>();
                }
                Action::Call { id, .. } => {
                    world.answered(id, &simulator::world::Outcome::Done);
                }
                Action::Ack { .. } | Action::About { .. } | Action::Wish(_) | Action::Look(_) => {}
            }
        }
    }
    let took = began.elapsed().as_secs_f64();
    println!(
        "模拟 {seconds} 秒用了 {took:.2} 秒（{:.0} 倍速），{reports} 条报文，{:.0} 条/秒（非零字节 {bytes}）",
        seconds as f64 / took,
        reports as f64 / took
    );
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse().command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("simulator: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(task: Task) -> anyhow::Result<()> {
    match task {
        Task::City { seed, out } => write_city(seed, &out),
        Task::Demo {
            target,
            seed,
            bikes,
            speed,
            report_every,
            for_seconds,
            own_connections,
            trouble,
            rides,
            wakes_at,
            by_the_clock,
            past_days,
            manager,
        } => {
            demo::run(demo::Options {
                server: target.server,
                token: token(&target.token_file)?,
                mqtt: target.mqtt,
                seed,
                bikes,
                speed,
                report_every,
                run_for: for_seconds,
                own_connections,
                trouble,
                rides_per_bike_day: rides,
                manager,
                wakes_at: (!by_the_clock).then_some(wakes_at),
                past_days,
            })
            .await
        }
        Task::Replay { target, speed, from, longest_gap, keep_clock, agent, area, files } => {
            let recording = Recording::read(&files.paths, files.datum, files.limit)?;
            print!("{}", recording.table());
            let options = play::Options {
                server: target.server,
                token: token(&target.token_file)?,
                mqtt: target.mqtt,
                speed,
                agent,
                area,
                from_ms: from,
                longest_gap,
                keep_clock,
            };
            let played = play::run(&options, &recording).await?;
            print!("{}", recording.table());
            println!("{}", serde_json::to_string_pretty(&played)?);
            summary(files.summary.as_deref(), &recording, Some(&played))
        }
        Task::Theft { target, agent, area, lat, lng, wrong, stays } => {
            let token = token(&target.token_file)?;
            let Target { server, mqtt, .. } = target;
            theft::run(&theft::Options {
                server,
                token,
                mqtt,
                agent_id: agent,
                area_id: area,
                lat,
                lng,
                wrong,
                stays,
            })
            .await
        }
        Task::Inspect { files } => {
            let recording = Recording::read(&files.paths, files.datum, files.limit)?;
            print!("{}", recording.table());
            summary(files.summary.as_deref(), &recording, None)
        }
        Task::Bench { bikes, seconds } => {
            bench(bikes, seconds);
            Ok(())
        }
    }
}
