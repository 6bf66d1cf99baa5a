-- Found by the random scripts: page dl/main:: pd_lsn.
create table dl (id int, qty int, name text);
insert into dl select g, g % 4, 'zimxolunhcspaebpgdykgwirfbwicftcdvmccxrtawpuavrvgyhjmygyrtgdaiqgcnqwuawfaaqawukzcfoheakphwuxhcrtdktfpowzemtasqeqnpgwivebbzefalyrlnkzewrjlebxvagmqzjcoqlpvminxbndvbrzqnkprttzfnrcxsamlvlukfeiakcoqseqsroo' from generate_series(600, 600 + 26) g on conflict do nothing;
